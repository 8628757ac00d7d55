package session

import (
	"cmp"
	"os/user"
	"strings"
)

// A Person is the user according to the operating system and AWS, regardless of the typed actor.
type Person struct {
	User string // operating system account, from SystemUser
	ARN  string // identity of the credentials; "" without AWS, or if AWS did not return it
}

// SystemUser returns the ID and the name of the operating system account that runs the program, or "" if it is unknown.
// For an account that is not in the system's files, for example from a directory service, USER provides the name, but
// never the ID.
func SystemUser() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Uid + " (" + u.Username + ")"
}

// isSameAccount compares two results of SystemUser. On one machine, the IDs must match.
func isSameAccount(a, b string, oneMachine bool) bool {
	if oneMachine {
		a, _, _ = strings.Cut(a, " ")
		b, _, _ = strings.Cut(b, " ")
	}
	return a != "" && strings.EqualFold(a, b)
}

// SameAs reports whether ddbdesk must treat two persons as one. On one machine, an operating system account is one
// person. Between machines, SameAs compares the AWS identities if both are known, and otherwise the accounts, although
// they may belong to different people. In doubt it returns true, so that two users of a shared account cannot approve
// each other's requests.
func (p Person) SameAs(o Person, oneMachine bool) bool {
	switch {
	case p.ARN != "" && strings.EqualFold(p.ARN, o.ARN):
		return true
	case oneMachine || p.ARN == "" || o.ARN == "":
		return isSameAccount(p.User, o.User, oneMachine)
	}
	return false
}

// Identity returns the identity of the credentials, or else the operating system account, or else "".
func (p Person) Identity() string { return cmp.Or(p.ARN, p.User) }

// Person returns the session's real user.
func (s *settings) Person() Person { return s.o.Person }
