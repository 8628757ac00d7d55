package widget

import "strings"

func (f *formField) past() []string {
	if f.Past == nil || f.Kind == FieldSecret {
		return nil
	}
	return f.Past()
}

func (f *formField) options() []Option {
	if f.Kind == FieldEnum {
		return f.Options
	}
	var list []Option
	for _, v := range f.past() {
		list = append(list, Option{Value: v})
	}
	return list
}

func (f *formField) rest() string {
	typed := f.in.value()
	if typed == "" || !f.in.atEnd() {
		return ""
	}
	for _, v := range f.past() {
		if len(v) > len(typed) && strings.HasPrefix(v, typed) {
			return v[len(typed):]
		}
	}
	if strings.HasPrefix(f.Prefix, typed) {
		return f.Prefix[len(typed):]
	}
	return ""
}

func (f *formField) prefixed() string {
	typed := f.in.value()
	if f.Prefix == "" || typed == "" || !f.in.atEnd() || f.Kind == FieldSecret ||
		strings.HasPrefix(typed, f.Prefix) || strings.HasPrefix(f.Prefix, typed) {
		return ""
	}
	return f.Prefix + typed
}

func (f *formField) recall(key string, list *popup) bool {
	switch key {
	case "space":
		if f.in.value() != "" || len(f.past()) == 0 {
			return false
		}
		*list = popup{open: true}
		return true
	case "right":
		text := f.prefixed()
		if rest := f.rest(); rest != "" {
			text = f.in.value() + rest
		}
		if text == "" {
			return false
		}
		f.enter(text)
		return true
	}
	return false
}

func (f *formField) offers() string {
	switch n := len(f.past()); {
	case f.Kind == FieldEnum:
		return ""
	case f.rest() != "":
		return "→ completes"
	case f.prefixed() != "":
		return "→ adds prefix " + f.Prefix
	case f.in.value() == "" && n > 0:
		return "space: suggestions"
	}
	return ""
}
