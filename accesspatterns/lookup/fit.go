package lookup

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ddbdesk/ddbdesk/models"
)

// versionPattern matches a version number.
var versionPattern = regexp.MustCompile(`^v?[0-9]+(\.[0-9]+)+([-+][0-9A-Za-z.-]+)?$`)

func (s Schema) matchQuality(e *models.Entity, path, text string) (Quality, bool) {
	a := e.Attribute(path)
	if strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) < 0 {
		return Bare, false // punctuation alone identifies nothing
	}
	if a == nil {
		return Bare, true // the placeholder is not an attribute
	}
	switch a.Type {
	case models.TypeS, models.TypeN:
	case models.TypeSS, models.TypeNS, models.TypeL:
		return Bare, elementFits(a, text)
	case models.TypeB:
		// Users may paste the base64 of a key, but rarely of other binary values.
		_, err := models.ScalarValue(models.TypeB, text)
		return Bare, err == nil && slices.ContainsFunc(e.KeyNames(), func(key string) bool {
			t, _ := e.KeyTemplate(key)
			return t.Has(path)
		})
	default:
		return Bare, false
	}
	if a.Type == models.TypeN && models.CheckNumber(text) != nil || a.Check(text) != nil {
		return Bare, false
	}
	switch {
	case a.Prefix != "":
		return Literal, len(text) > len(a.Prefix)
	case slices.Contains(a.Enum, text):
		return Exact, true
	case a.Format == models.Text:
		return Bare, false // prose is not a key
	case isExact(a.Format, text), isPhone(a) && models.E164.Check(text) == nil:
		return Exact, true
	case a.Format == models.Domain:
		return Bare, false // a domain has a dot
	case slices.Contains(quantityFormats, a.Format):
		return Bare, false
	case s.isLikeExample(e, path, text), s.isLikeReferencedID(a, text):
		return Example, true
	case s.isUnlikeExamples(e, path, text):
		return Bare, false
	}
	return Bare, true
}

// isUnlikeExamples reports whether a text begins like another kind of ID, such as cus_123 among examples like user_123.
func (s Schema) isUnlikeExamples(e *models.Entity, path, text string) bool {
	if s.Examples == nil || stemOf(text) == "" {
		return false
	}
	list := s.Examples(e, path)
	return len(list) > 0 && !slices.ContainsFunc(list, func(x string) bool { return stemOf(x) == "" })
}

func elementFits(a *models.Attribute, text string) bool {
	kind := models.TypeS
	if a.Type == models.TypeNS {
		kind = models.TypeN
	}
	if a.Type == models.TypeL {
		kind = a.Items
	}
	_, err := models.ScalarValue(kind, text)
	return kind != "" && err == nil
}

// distinctiveFormats lists the formats that few unrelated texts match.
var distinctiveFormats = []models.Format{
	models.UUID, models.UUID7, models.ULID, models.KSUID, models.SHA256, models.E164, models.Email, models.URL, models.IP, models.MIME,
}

// quantityFormats lists the formats of quantities, which identify nothing.
var quantityFormats = []models.Format{models.Cents, models.Bytes, models.Seconds, models.Score, models.Version}

func isExact(f models.Format, text string) bool {
	return f == models.Domain && strings.Contains(text, ".") || f == models.Version && versionPattern.MatchString(text) ||
		f.IsTime() || slices.Contains(distinctiveFormats, f)
}

// generatedFormats lists the formats of generated IDs, which any system may use.
var generatedFormats = []models.Format{models.UUID, models.UUID7, models.ULID, models.KSUID, models.SHA256}

// IsGenerated reports whether the text has a format that any system's IDs may have.
func (t Target) IsGenerated() bool {
	a := t.Entity.Attribute(t.Attribute)
	return t.Quality == Exact && a != nil && slices.Contains(generatedFormats, a.Format)
}

// Address returns the kind of address of the text, or "" if the text is not an address.
func (t Target) Address() string {
	switch a := t.Entity.Attribute(t.Attribute); {
	case t.Quality != Exact || a == nil:
	case a.Format == models.Email:
		return "email address"
	case isPhone(a):
		return "phone number"
	}
	return ""
}

// Is reports whether a value equals the text. Addresses may be spelled differently.
func (t Target) Is(value string) bool {
	switch t.Address() {
	case "email address":
		return strings.EqualFold(value, t.Text)
	case "phone number":
		return digits(value) == digits(t.Text)
	}
	return value == t.Text
}

// IsCommon reports whether many items may contain the text: a time, a version or a status.
func (t Target) IsCommon() bool {
	a := t.Entity.Attribute(t.Attribute)
	return t.Quality == Exact && a != nil && (a.Format.IsTime() || a.Format == models.Version || a.Format == models.MIME || len(a.Enum) > 0)
}

// isDistinctive reports whether few unrelated texts match. Versions, times, domains and enums are not distinctive.
func isDistinctive(e *models.Entity, path string, q Quality) bool {
	a := e.Attribute(path)
	return q == Literal || q == Example || q == Exact && a != nil &&
		(slices.Contains(generatedFormats, a.Format) || a.Format == models.Email || isPhone(a))
}

func isPhone(a *models.Attribute) bool {
	return a.Format == models.E164 || a.Format == models.NoFormat && strings.Contains(lowerLetters(a.Path), "phone")
}

func startsWithName(e *models.Entity, path, text string) bool {
	name, ok := strings.CutSuffix(lowerLetters(path), "id")
	if name == "" {
		name = lowerLetters(e.Name)
	}
	for i, r := range text {
		if i == 0 && !unicode.IsLetter(r) {
			return false
		}
		if ok && strings.ContainsRune("_-:", r) && i < len(text)-1 && lowerLetters(text[:i]) == name {
			return true
		}
	}
	return false
}

func lowerLetters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

func (s Schema) isLikeExample(e *models.Entity, path, text string) bool {
	if startsWithName(e, path, text) {
		return true
	}
	if s.Examples == nil {
		return false
	}
	stem := stemOf(text)
	return slices.ContainsFunc(s.Examples(e, path), func(x string) bool {
		return stem != "" && stemOf(x) == stem || isLong(text) && isLong(x) && len(x) == len(text)
	})
}

// isLikeReferencedID reports whether a text looks like the ID that an attribute refers to: a userId for adminId.
func (s Schema) isLikeReferencedID(a *models.Attribute, text string) bool {
	return a.Refers != "" && slices.ContainsFunc(s.Entities, func(e *models.Entity) bool {
		path, ok := strings.CutPrefix(a.Refers, e.Name+".")
		return ok && s.isLikeExample(e, path, text)
	})
}

// isLong reports whether a text is a number long enough to be an ID.
func isLong(text string) bool { return len(text) >= 8 && digits(text) == text }

// stemOf returns cust_ for cust_123, or "" for a text without a separator.
func stemOf(text string) string {
	i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if i < 1 || i == len(text)-1 || !strings.ContainsRune("_-:", rune(text[i])) {
		return ""
	}
	return text[:i+1]
}

// IsOnlyPrefix reports whether a text is only the beginning of IDs or keys: letters and a separator, a declared prefix,
// or the literal beginning of a key template. A search for such a text finds nothing, so the caller should ask for the
// rest.
func (s Schema) IsOnlyPrefix(text string) bool {
	if stem := stemOf(text + "x"); stem != "" && stem == text {
		return true
	}
	return slices.ContainsFunc(s.Entities, func(e *models.Entity) bool {
		for _, k := range e.KeyNames() {
			t, _ := e.KeyTemplate(k)
			if _, whole := t.Literal(); !whole && text != "" && t.LiteralPrefix() == text {
				return true
			}
		}
		return slices.ContainsFunc(e.Attributes, func(a *models.Attribute) bool { return a.Prefix != "" && a.Prefix == text })
	})
}

// periodOf returns the format of a period that the text matches, and the quality of the match, because few texts are
// days, but any number can be a year or a month.
func periodOf(e *models.Entity, name, text string) (models.Format, Quality, bool) {
	for _, k := range e.KeyNames() {
		t, _ := e.KeyTemplate(k)
		for _, s := range t.Segments() {
			if _, ok := s.Format.ReadTime(text); !ok || s.Name != name || !s.Format.IsPeriod() {
				continue
			}
			if s.Format.IsDay() {
				return s.Format, Exact, true
			}
			return s.Format, Bare, true
		}
	}
	return models.NoFormat, Bare, false
}
