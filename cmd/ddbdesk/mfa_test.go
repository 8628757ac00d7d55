// This file tests how the code of an MFA device is asked for.

package main

import (
	"strings"
	"testing"
)

// A dialog that is back says so: the same words again look as if the code had
// never been given.
func TestMFAIsAskedAgainInOtherWords(t *testing.T) {
	first, again := mfaWords("mfa", false), mfaWords("mfa", true)
	if strings.Contains(first, "before") || !strings.Contains(again, "code before led to no credentials") || !strings.Contains(again, "AWS profile mfa") {
		t.Errorf("first %q, then %q", first, again)
	}
	if got := mfaWords("", false); !strings.Contains(got, "the AWS configuration") {
		t.Errorf("without a profile: %q", got)
	}
}
