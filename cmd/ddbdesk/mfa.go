// This file asks for the code of an MFA device: at the terminal, or inside the
// console.

package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/tui"
)

// mfaToken asks for the code of the MFA device that an assumed role needs.
func (a *app) mfaToken() (string, error) {
	fmt.Fprint(a.stderr, "MFA code: ")
	code, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("reading the MFA code: %w", err)
	}
	return strings.TrimSpace(code), nil
}

// askInside asks for it in a dialog of the console. It is called while a request
// waits for its credentials, never on the screen's time. again is set when the
// connection has had a code before.
func (a *app) askInside(again bool) (string, error) {
	q := tui.NewQuestion("MFA code", mfaWords(a.flags.profile, again), "six digits", mfaCode)
	a.questions <- q
	code, ok := q.Wait()
	if !ok {
		return "", store.ErrNoMFACode
	}
	return code, nil
}

// mfaWords say who asks. A device's code works once, so a dialog that is back
// wants another, whatever became of the one before.
func mfaWords(profile string, again bool) string {
	source := "the AWS configuration"
	if profile != "" {
		source = "AWS profile " + profile
	}
	if again {
		return "The code before led to no credentials, or they have expired. The role of " + source +
			" asks for another: wait until your MFA device shows the next."
	}
	return "The role of " + source + " asks for the code that your MFA device shows now."
}

// mfaCode says what is wrong with a code. Source: AWS STS API Reference,
// AssumeRole, TokenCode.
func mfaCode(code string) string {
	if len(code) != 6 || strings.Trim(code, "0123456789") != "" {
		return "a code is six digits"
	}
	return ""
}
