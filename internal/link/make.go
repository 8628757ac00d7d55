package link

import (
	"net/url"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// ForItem returns the link to a section of an item. The error is a *session.Refusal if the key contains personal data.
// It wraps session.ErrInput if no entity matches the item.
func ForItem(s *session.Viewer, t *models.Table, it models.Item, section string) (Link, error) {
	key, ok := t.PrimaryKey(it)
	recognition, recognized := s.Recognize(t, it)
	switch {
	case !ok || !recognized:
		return Link{}, session.InputErrorf("cannot link to the item: it matches no entity of the schema")
	case s.HidesKey(t, it):
		return Link{}, &session.Refusal{
			Reason: "the item's key contains personal data, which must not be in a link",
			Advice: "link to a query instead",
		}
	}
	l := Link{Schema: session.SchemaName(s.Profile()), Name: recognition.Entity.Name, Values: map[string]string{}, Section: section}
	values := recognition.Entity.Values(it)
	for _, name := range recognition.Entity.KeyPlaceholders() {
		if text, ok := values(name); ok {
			l.Values[name] = text
		}
	}
	if builtKey, err := keyOf(recognition.Entity, l.Values); err == nil && models.EqualItems(builtKey, key) {
		return l, nil
	}
	clear(l.Values) // The attributes contradict the key, or a format is lossy, so use the key itself.
	for _, k := range t.PrimaryKeys() {
		l.Values[k.Name], _ = models.ValueText(key[k.Name])
	}
	return l, nil
}

// ForQuery returns the link to a query with its arguments. The error is a *session.Refusal if an argument is personal
// data. The link omits default arguments, so that a link to "the last week" remains relative.
func ForQuery(s *session.Viewer, p *accesspatterns.Pattern, args map[string]string) (Link, error) {
	l := Link{Schema: session.SchemaName(s.Profile()), Name: p.ID, Values: map[string]string{}}
	for _, q := range p.Params {
		text := args[q.Name]
		switch {
		case text == "" || text == q.Default || q.Type == accesspatterns.Token:
		case s.Sensitivity(q) != models.NotSensitive || strings.Contains(text, "@"):
			return Link{}, &session.Refusal{
				Reason: "parameter " + q.Name + " is personal data, which must not be in a link",
				Advice: "clear the value; the other person can enter it",
			}
		default:
			l.Values[q.Name] = text
		}
	}
	return l, nil
}

// Console returns the link to an item in the AWS console. It returns the same errors as ForItem, and an error that
// wraps session.ErrInput for a database outside of AWS.
func Console(s *session.Viewer, t *models.Table, it models.Item) (string, error) {
	target := s.Target()
	if target.Region == "" || target.Custom || target.Embedded || target.Loopback {
		return "", session.InputErrorf("the AWS console does not show this database")
	}
	if _, err := ForItem(s, t, it, ""); err != nil {
		return "", err
	}
	key, _ := t.PrimaryKey(it)
	query := url.Values{"itemMode": {"2"}, "table": {t.Name}, "pk": {""}, "sk": {""}}
	for i, k := range t.PrimaryKeys() {
		text, _ := models.ValueText(key[k.Name])
		query.Set([]string{"pk", "sk"}[i], text)
	}
	return "https://" + ConsoleHost(target.Region) + "/dynamodbv2/home?region=" + target.Region + "#edit-item?" + query.Encode(), nil
}

// ConsoleHost returns the host of the AWS console in the partition of a region. Source: AWS General Reference, "AWS
// Management Console service endpoints".
func ConsoleHost(region string) string {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return region + ".console.amazonaws.cn"
	case strings.HasPrefix(region, "us-gov-"):
		return region + ".console.amazonaws-us-gov.com"
	}
	return region + ".console.aws.amazon.com"
}
