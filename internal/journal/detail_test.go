package journal

import (
	"encoding/json"
	"reflect"
	"testing"
)

// ddbdesk reads, verifies and continues journals of earlier versions, which stored the detail as a map of texts.
func TestDetailKeepsItsFormat(t *testing.T) {
	var d Detail
	v := reflect.ValueOf(&d).Elem()
	asMap := map[string]string{}
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		v.Field(i).SetString("a < " + name)
		asMap[string(name[0]+'a'-'A')+name[1:]] = "a < " + name
	}
	got, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(asMap)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Later versions may add members to an entry.
func TestLinesWithUnknownMembersAreValid(t *testing.T) {
	object := `{"seq":1,"time":"2026-03-01T11:00:00Z","id":"1","kind":"intent","actor":"ana","role":"admin","subject":"approve",` +
		`"detail":{"condition":"old","key":"ORDER#1","reason":""},"prev":""}`
	line := object[:len(object)-1] + hashOpen + hashOf([]byte(object)) + hashClose
	e, intact, err := parse([]byte(line))
	if err != nil || !intact || e.Detail.Key != "ORDER#1" {
		t.Errorf("got %+v, intact %t: %v", e, intact, err)
	}
}
