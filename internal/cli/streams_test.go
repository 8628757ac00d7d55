package cli

import "testing"

// A message wraps at words. The command to run stays whole on a line of its own.
func TestMessagesWrapAtWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ddbdesk: short": "ddbdesk: short",
		"ddbdesk: scanned 14 items without a match": "ddbdesk: scanned 14 items\nwithout a match",
		"ddbdesk: more results follow; to continue, run ddbdesk run shop list-orders --next @last": "ddbdesk: more results\n" +
			"follow; to continue, run\n  ddbdesk run shop list-orders --next @last",
		"ddbdesk: the table is empty, and ddbdesk wrote nothing": "ddbdesk: the table is\nempty, and ddbdesk wrote\nnothing",
	} {
		if got := wrapLine(text, 26); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
