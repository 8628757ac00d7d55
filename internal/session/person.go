package session

import (
	"cmp"
	"os/user"
	"strings"
)

// A Person is the user according to the operating system and AWS, regardless of the typed actor.
type Person struct {
	User string // account of the operating system, as returned by SystemUser
	ARN  string // identity of the credentials, "" if AWS is not used or did not return it
}

// SystemUser returns the operating system account that runs the program: its ID and its name. USER sets the name of an
// account that is not in the system's files, such as one from a directory service, but never the ID. It returns "" if
// the account is unknown.
func SystemUser() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Uid + " (" + u.Username + ")"
}

// isSameAccount compares two results of SystemUser. On one machine the ID decides.
func isSameAccount(a, b string, oneMachine bool) bool {
	if oneMachine {
		a, _, _ = strings.Cut(a, " ")
		b, _, _ = strings.Cut(b, " ")
	}
	return a != "" && strings.EqualFold(a, b)
}

// SameAs reports whether two persons must be treated as one. On one machine, one operating system account is one
// person. Between machines, the AWS identities decide if both are known; otherwise the accounts are compared, although
// they may belong to different people. In doubt it returns true: two users of a shared account cannot approve each
// other.
func (p Person) SameAs(o Person, oneMachine bool) bool {
	switch {
	case p.ARN != "" && strings.EqualFold(p.ARN, o.ARN):
		return true
	case oneMachine || p.ARN == "" || o.ARN == "":
		return isSameAccount(p.User, o.User, oneMachine)
	}
	return false
}

// Identity names the person: the identity of the credentials, otherwise the operating system account, "" for neither.
func (p Person) Identity() string { return cmp.Or(p.ARN, p.User) }

// Person returns the real user of the session.
func (s *settings) Person() Person { return s.o.Person }
