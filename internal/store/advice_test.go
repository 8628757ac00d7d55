package store

import "testing"

func TestServerMessagesContainNoValues(t *testing.T) {
	for text, want := range map[string]string{
		"The parameter cannot be converted to a numeric value: 12 345": "The parameter cannot be converted to a numeric value: …",
		"One or more parameter values were invalid: Input collection [a, b, a] contains duplicates.": "One or more " +
			"parameter values were invalid: " +
			"Input collection […] contains duplicates.",
		"1 validation error detected: Value 'it's' at 'x' failed; Value 'b' at 'key' failed to satisfy constraint: Member " +
			"must not be null": "" +
			"1 validation error detected: Value '…' at 'key' failed to satisfy constraint: Member must not be null",
		"User: arn:aws:iam::123456789012:user/bob": "User: arn:aws:iam::…:user/bob",
		"Requested resource not found":             "Requested resource not found",
	} {
		if got := clean(text, nil); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
