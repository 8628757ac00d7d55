package widget

import (
	"strings"
	"testing"
)

func pastForm(past ...string) *Form {
	f := NewForm(NewStyles(true, false),
		FormField{
			Name: "id", Prefix: "ver_", Width: 16, PastValues: func() []string { return past },
			Warn: func(v string) string {
				if !strings.HasPrefix(v, "ver_") {
					return "ids start with ver_"
				}
				return ""
			},
		},
		FormField{Name: "from", Kind: FieldDate, Note: func(v string) string { return "= the day of " + v }},
	)
	f.SetSize(60, f.Height(60))
	return f
}

func TestFormCompletesEarlierValues(t *testing.T) {
	f := pastForm("ver_8f2c", "ver_77aa")
	typeText(f, "v", "e", "r", "_", "7")
	wantPlain(t, f.View(), " id  ver_77aa           from\n → completes")
	typeText(f, "right")
	if got := f.Values()["id"]; got != "ver_77aa" {
		t.Errorf("right completed the value to %q", got)
	}
	typeText(f, "left", "right")
	if got := f.Values()["id"]; got != "ver_77aa" {
		t.Errorf("moving the cursor changed the value to %q", got)
	}
}

func TestFormAddsMissingPrefix(t *testing.T) {
	f := pastForm()
	typeText(f, "8", "f")
	wantPlain(t, f.View(), " id  8f                 from\n ids start with ver_ · press → to add ver_")
	typeText(f, "right")
	if got := f.Values()["id"]; got != "ver_8f" {
		t.Errorf("right changed the value to %q", got)
	}
	if strings.Contains(plain(f.View()), "press → to add") {
		t.Error("the form still offers the prefix")
	}
}

func TestFormListsRecentValues(t *testing.T) {
	f := pastForm("ver_8f2c", "ver_77aa")
	if !strings.Contains(plain(f.View()), "space list suggestions") {
		t.Errorf("the form does not offer the list:\n%s", plain(f.View()))
	}
	typeText(f, "space")
	box, _, _, open := f.Popup()
	if !open || !strings.Contains(plain(box), "ver_8f2c") {
		t.Fatalf("space did not open a list with ver_8f2c: open %v\n%s", open, plain(box))
	}
	typeText(f, "down", "enter")
	if got := f.Values()["id"]; got != "ver_77aa" {
		t.Errorf("the list entered %q", got)
	}
	typeText(f, "space")
	if got := f.Values()["id"]; got != "ver_77aa " {
		t.Errorf("space in a value gives %q", got)
	}
	withoutValues := pastForm()
	typeText(withoutValues, "space")
	if _, _, _, open := withoutValues.Popup(); open {
		t.Error("space opened an empty list")
	}
}

func TestFormExplainsValue(t *testing.T) {
	f := pastForm()
	f.FocusField("from")
	typeText(f, "-", "7", "d")
	wantPlain(t, f.View(), " id  ver_…              from  -7d\n = the day of -7d")
}
