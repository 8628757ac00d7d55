package draft

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// Infer drafts a map deeper than maxDepth, or with more than maxNested attributes, as a map with arbitrary fields.
const (
	maxDepth  = 4
	maxNested = 40
)

// An enum needs at least enumItems items, at most enumValues different values, and enumTimes occurrences of each value.
const (
	enumItems  = 50
	enumValues = 12
	enumTimes  = 2
	// enumStateItems replaces enumItems for an attribute whose name suggests a state.
	enumStateItems = 10
)

func (a *analysis) addAttributes(e *Entity, c cluster) {
	byName := map[string][]types.AttributeValue{}
	for _, it := range c.items {
		for name, v := range it {
			byName[name] = append(byName[name], v)
		}
	}
	isKeyAttribute := func(name string) bool {
		return slices.ContainsFunc(e.Keys, func(k Key) bool { return k.Attribute == name })
	}
	list := a.describe(byName, len(c.items), 0, isKeyAttribute)
	existing := e.Attributes
	e.Attributes = nil
	for _, d := range existing {
		if !slices.ContainsFunc(list, func(other *Attribute) bool { return other.Name == d.Name }) {
			e.Attributes = append(e.Attributes, d)
		}
	}
	e.Attributes = append(e.Attributes, list...)
	for _, d := range list {
		switch {
		case d.Name == a.table.TTL:
			d.Format, d.Note = models.EpochSeconds, ""
		case d.Name == c.discriminator && c.kind != "":
			d.Enum, d.OpenEnum, d.Note = []string{c.kind}, false, ""
		}
	}
	if e.Version = changeCount(list, byName); e.Version != "" {
		e.Notes = append(e.Notes, VersionNote(e.Version))
	}
	if e.Updated = changeTime(list); e.Updated != "" {
		e.Notes = append(e.Notes, UpdatedNote(e.Updated))
	}
}

// changeCount is as strict as changeTime: it requires a usual name and different whole numbers.
func changeCount(list []*Attribute, values map[string][]types.AttributeValue) string {
	for _, d := range list {
		switch strings.Join(words(d.Name), "") {
		case "version", "lockversion", "rowversion", "revision", "rev", "versionnumber":
			texts := map[string]bool{}
			allWhole := true
			for _, v := range values[d.Name] {
				text, _ := models.ValueText(v)
				texts[text], allWhole = true, allWhole && strings.Trim(text, "0123456789") == ""
			}
			if d.Type == models.TypeN && d.Required && allWhole && len(texts) > 1 {
				return d.Name
			}
		}
	}
	return ""
}

// changeTime accepts only usual names, because an action sets the attribute and a wrong guess would overwrite data.
func changeTime(list []*Attribute) string {
	for _, d := range list {
		switch strings.Join(words(d.Name), "") {
		case "updatedat", "updatedon", "lastupdated", "updated", "modifiedat", "lastmodified", "lastupdatedat":
			if d.Format.IsTime() && !d.Format.IsDay() {
				return d.Name
			}
		}
	}
	return ""
}

func (a *analysis) describe(values map[string][]types.AttributeValue, total, depth int, skip func(string) bool) []*Attribute {
	var list []*Attribute
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if depth == 0 && skip(name) {
			continue
		}
		list = append(list, a.attribute(name, values[name], total, depth))
	}
	slices.SortStableFunc(list, func(x, y *Attribute) int { return rank(x) - rank(y) })
	return list
}

func rank(d *Attribute) int {
	if d.Required {
		return 0
	}
	return 1
}

// attribute treats NULL as a missing value, because programs may write it for one.
func (a *analysis) attribute(name string, values []types.AttributeValue, total, depth int) *Attribute {
	set := slices.DeleteFunc(slices.Clone(values), isNull)
	n, all := len(set), len(values)
	if n > 0 {
		values = set
	}
	d := &Attribute{Attribute: models.Attribute{Name: name, Required: n == total}}
	d.Type, d.Note = typeOf(values)
	if !d.Required && total > 1 {
		d.Note = JoinNotes(d.Note, fmt.Sprintf("in %d of %d", n, total))
	}
	if n < all {
		d.Note = JoinNotes(d.Note, fmt.Sprintf("NULL in %d", all-n))
	}
	switch d.Type {
	case models.TypeS, models.TypeN:
		a.describeScalar(d, values)
	case models.TypeM:
		a.describeDocument(d, values, depth)
	case models.TypeL:
		a.describeElements(d, values, depth)
	default:
		d.Sensitive = Sensitivity(name, nil)
	}
	if d.Sensitive != models.NotSensitive {
		d.Note = JoinNotes(d.Note, CheckNote("sensitive: %s", d.Sensitive))
	}
	return d
}

func isNull(v types.AttributeValue) bool { return models.ValueType(v) == models.TypeNULL }

func typeOf(values []types.AttributeValue) (t models.Type, note string) {
	counts := map[models.Type]int{}
	for _, v := range values {
		counts[models.ValueType(v)]++
	}
	for _, other := range models.Types() {
		if counts[other] > counts[t] && (other != "NULL" || len(counts) == 1) {
			t = other
		}
	}
	if len(counts) > 1 {
		return t, fmt.Sprintf("%d of %d have another type", len(values)-counts[t], len(values))
	}
	return t, ""
}

func (a *analysis) describeScalar(d *Attribute, values []types.AttributeValue) {
	var texts []string
	for _, v := range values {
		if text, ok := models.ValueText(v); ok && models.ValueType(v) == d.Type {
			texts = append(texts, text)
		}
	}
	if d.Type == models.TypeN {
		d.Format = a.epochOf(d.Name, texts)
	} else if d.Format = formatOf(texts); d.Format == "" {
		d.Prefix, d.Format = prefixOf(texts)
	}
	d.Sensitive = Sensitivity(d.Name, texts)
	if enum := enumOf(d.Name, texts); d.Type == models.TypeS && d.Format == "" && d.Sensitive == models.NotSensitive && len(enum) > 0 &&
		isEnumerable(d.Name) && !a.isKey(d.Name) {
		d.Enum, d.OpenEnum = enum, true
		d.Note = JoinNotes(d.Note, fmt.Sprintf("%d values in %d items", len(enum), len(texts)))
		if name := words(d.Name); slices.ContainsFunc(name, func(w string) bool { return w == "status" || w == "state" || w == "phase" }) {
			d.Note = JoinNotes(d.Note, stateNote)
		}
	}
	if a.options.Examples && d.Sensitive == models.NotSensitive && d.Format == "" && len(d.Enum) == 0 {
		for _, text := range texts[:min(3, len(texts))] {
			if models.IsShowable(text) && len(text) <= 40 && !slices.Contains(d.Examples, text) {
				d.Examples = append(d.Examples, text)
			}
		}
	}
}

// stateWords matches the names of attributes that usually have few values.
var stateWords = models.LazyRegexp(`(?i)(status|state|phase|stage|role|type|kind|tier|level|severity|priority|mode|action|operation)$`)

// enumOf returns the repeated words in alphabetical order, or nil. A name that suggests few values needs fewer items.
func enumOf(name string, texts []string) []string {
	counts := map[string]int{}
	for _, t := range texts {
		counts[t]++
	}
	items, times := enumItems, enumTimes
	if stateWords().MatchString(name) {
		items, times = enumStateItems, 1
	}
	if len(texts) < items || len(counts) > enumValues || len(counts) < 2 || len(texts) < enumTimes*len(counts) {
		return nil
	}
	for t, n := range counts {
		if n < times || !enumWord().MatchString(t) {
			return nil
		}
	}
	return slices.Sorted(maps.Keys(counts))
}

// enumWord matches enum values, but not text that a person wrote.
var enumWord = models.LazyRegexp(`^[A-Za-z][A-Za-z_.-]{0,40}$`)

func (a *analysis) isKey(name string) bool {
	return slices.ContainsFunc(a.table.KeyAttributes(), func(k models.Key) bool { return k.Name == name }) &&
		!slices.ContainsFunc(words(name), stateWords().MatchString)
}

// personWord matches words for the person who does something: reviewer, author, assignee.
var personWord = models.LazyRegexp(`(er|or|ee|ist|ian)$`)

// isEnumerable rejects the names of persons, places and other items, because their values are data even if they repeat.
func isEnumerable(name string) bool {
	list := words(name)
	if len(list) > 0 && personWord().MatchString(list[len(list)-1]) && !stateWords().MatchString(name) {
		return false
	}
	return !slices.ContainsFunc(list, func(w string) bool {
		return slices.Contains([]string{
			"id", "ids", "by", "user", "actor", "owner", "name", "key", "reason", "note", "notes", "comment", "text",
			"message", "title", "city",
			"description", "bucket", "path", "hash", "table", "author", "customer", "client",
		}, w)
	})
}

// formatOf tries stricter formats first. A format must reproduce each time, because ranges over the text depend on it.
// ISO8601Any, the last time format, accepts offsets and fractions of any length.
func formatOf(texts []string) models.Format {
	for _, f := range []models.Format{
		models.ISO8601, models.ISO8601Millis, models.ISOLocal, models.ISOLocalMilli, models.Date, models.Compact,
		"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S+00:00", // written by databases and other programs
		"%Y-%m-%dT%H:%M:%S.%f+00:00", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%dT%H:%M:%S.%NZ", models.ISO8601Any,
		models.UUID, models.ULID, models.KSUID, models.SHA256, models.Email, models.URL, models.E164, models.IP,
	} {
		if len(texts) > 0 && !slices.ContainsFunc(texts, func(s string) bool {
			return f.Check(s) != nil || f != models.ISO8601Any && f.IsTime() && !f.Reproduces(s) || f == models.SHA256 && len(s) != 64
		}) {
			return f
		}
	}
	return ""
}

// idPrefix matches the word before an ID, as in ord_01J9...
var idPrefix = models.LazyRegexp(`^[A-Za-z][A-Za-z0-9]{0,11}[_-]`)

func prefixOf(texts []string) (prefix string, f models.Format) {
	if len(texts) == 0 {
		return "", ""
	}
	prefix = idPrefix().FindString(texts[0])
	suffixes := make([]string, len(texts))
	for i, s := range texts {
		after, ok := strings.CutPrefix(s, prefix)
		if !ok || prefix == "" {
			return "", ""
		}
		suffixes[i] = after
	}
	if f = formatOf(suffixes); slices.Contains(idFormats, f) {
		return prefix, f
	}
	return "", ""
}

// idFormats are the formats of generated IDs.
var idFormats = []models.Format{models.UUID, models.ULID, models.KSUID, models.SHA256}

// timeName matches the names of attributes that contain a time.
var timeName = models.LazyRegexp(
	`(?i)(at|time|timestamp|date|on|ttl|expir\w*|created|updated|modified|until|since|seen|login|used|start|end|` +
		`period|month|day|hour|night|bucket)$`)

// timeValues is the minimum number of different values for plausible numbers to count as times regardless of their
// name.
const timeValues = 8

// epochs lists the formats of numeric times by digit count. A number of hours or days is a time only near the present,
// so that 2026111822 is the hour of a day and not a second in 2034.
var epochs = map[int][]models.Format{
	6: {"%Y%m"}, 8: {"%Y%m%d"}, 10: {"%Y%m%d%H", models.EpochSeconds, models.EpochDecimal}, 12: {"%Y%m%d%H%M"},
	13: {models.EpochMillis}, 14: {"%Y%m%d%H%M%S"},
	16: {models.EpochMicros}, 19: {models.EpochNanos},
}

// epochOf accepts the years 2001 to 2099 for Unix times if the attribute's name suggests a time.
func (a *analysis) epochOf(name string, texts []string) models.Format {
	if len(texts) == 0 {
		return ""
	}
	wholeDigits := func(s string) int { return len(strings.SplitN(s, ".", 2)[0]) }
	hasTimeName, now := timeName().MatchString(name), a.options.now()
	for _, f := range epochs[wholeDigits(texts[0])] {
		from, to := now.AddDate(-20, 0, 0), now.AddDate(12, 0, 0)
		if f.IsLayout() {
			to = now.AddDate(6, 0, 0)
		} else if hasTimeName {
			from, to = time.Unix(1e9, 0), time.Unix(41e8, 0) // the last seconds of 2099
		}
		outside := func(s string) bool {
			t, ok := f.ReadTime(s)
			return !ok || wholeDigits(s) != wholeDigits(texts[0]) || t.Before(from) || t.After(to)
		}
		if !slices.ContainsFunc(texts, outside) && (hasTimeName || len(textSet(texts)) >= timeValues) {
			return f
		}
	}
	return ""
}

// secretName and personName match a name as it is, and its words joined by "_". A short word counts only as the last
// one, so that panel, cookieConsent and tokenCount do not match.
var (
	secretName = models.LazyRegexp(`(?i)passw(or)?d|secret|api_?key|private_?key|credential|` +
		`(access|refresh|id|session|api|auth|bearer)_?token|` +
		`(^|_)(otp|cvv|cvc|jwt|token|bearer|cookies?|mnemonic|seed|seed_phrase|pass_?phrase|pass_?code|pwd)$|(^|_)pin(_?code)?$|` +
		`^((x|proxy)_)?authorization(_header)?$|(sign|signing|encrypt|encryption|decryption|master|hmac|ssh)_key$`)
	personName = models.LazyRegexp(`(?i)e_?mail|phone|mobile|(^|_)fax|address|street|zip_?code|post(al)?_?code|birth|` +
		`(^|_)dob$|(^|_)ssn$|passport|` +
		`(first|last|full|family|given|sur|maiden|nick|user|customer|contact|display|recipient|patient|player|author|owner|holder)_?name|` +
		`^name$|(^|_)[fl]_?name$|iban|card_?(number|no)|account_?number|tax_?id|national_?id|client_?ip|(^|_)ip$|` +
		`latitude|longitude|gender|^bio$|avatar|` +
		`(^|_)(mail|tel|msisdn)$|^(card_)?pan$|social_?security|drivers?_?licen[cs]e|session_?id$`)
)

// Sensitivity infers an attribute's sensitivity from its name and the form of its values, and prefers to mask too much.
// The caller adds a CHECK note, because a person must confirm the result. If texts is nil, it uses only the name.
func Sensitivity(name string, texts []string) models.Sensitivity {
	joinedWords := strings.Join(words(name), "_")
	switch f := formatOf(texts); {
	case secretName().MatchString(name), secretName().MatchString(joinedWords):
		return models.Secret
	case personName().MatchString(name), personName().MatchString(joinedWords), f == models.Email, f == models.E164, f == models.IP:
		return models.PII
	}
	return models.NotSensitive
}

// GuessSensitivity masks an attribute without sample values by its name, or by its name in a program, which may be
// longer.
func (a *Attribute) GuessSensitivity(name string) {
	if a.Sensitive = Sensitivity(a.Name, nil); a.Sensitive == models.NotSensitive {
		a.Sensitive = Sensitivity(name, nil)
	}
	if a.Sensitive != models.NotSensitive {
		a.Note = CheckNote("sensitive: %s", a.Sensitive)
	}
}

func mapFields(v types.AttributeValue) map[string]types.AttributeValue {
	if m, ok := v.(*types.AttributeValueMemberM); ok {
		return m.Value
	}
	return nil
}

// describeDocument masks a map with too many field names, or names that look like values: they would be data.
func (a *analysis) describeDocument(d *Attribute, values []types.AttributeValue, depth int) {
	fields, n := map[string][]types.AttributeValue{}, 0
	for _, v := range values {
		m := mapFields(v)
		if m != nil {
			n++
		}
		for name, inner := range m {
			fields[name] = append(fields[name], inner)
		}
	}
	d.Sensitive = Sensitivity(d.Name, nil)
	if len(fields) == 0 || len(fields) > maxNested || depth >= maxDepth || isKeyedByValues(fields, n) {
		d.Undocumented = true
		return
	}
	d.Nested = a.describe(fields, n, depth+1, nil)
}

func isKeyedByValues(fields map[string][]types.AttributeValue, maps int) bool {
	valueCount := 0
	for name, values := range fields {
		if !placeholderText().MatchString(name) || strings.ContainsAny(name, "0123456789") && len(values)*2 < maps {
			valueCount++
		}
	}
	return valueCount*2 > len(fields) || valueCount > 0 && len(fields) > 8
}

// describeElements omits the type of mixed elements, because the schema language has only one type for all.
func (a *analysis) describeElements(d *Attribute, values []types.AttributeValue, depth int) {
	var all []types.AttributeValue
	for _, v := range values {
		if l, ok := v.(*types.AttributeValueMemberL); ok {
			all = append(all, l.Value...)
		}
	}
	d.Sensitive = Sensitivity(d.Name, nil)
	if len(all) == 0 {
		return
	}
	t, typeNote := typeOf(all)
	if typeNote != "" {
		d.Note = JoinNotes(d.Note, "elements: "+typeNote)
		return
	}
	d.Items = t
	if t == models.TypeM {
		inner := &Attribute{Attribute: models.Attribute{Name: d.Name}}
		a.describeDocument(inner, all, depth)
		d.Nested = inner.Nested
	}
}
