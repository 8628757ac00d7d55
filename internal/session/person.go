package session

import (
	"cmp"
	"os/user"
	"strings"
)

// A Person is who the operating system and AWS say the user is, whatever name is typed as the actor.
type Person struct {
	User string // account of the operating system, as SystemUser returns it
	ARN  string // identity of the credentials, "" where AWS is not used or did not say
}

// SystemUser returns the account of the operating system that runs the program: its ID and its name. USER sets the name of an
// account that is not in the files of the system, such as one of a directory service, and never the ID. It is "" if the
// system does not say.
func SystemUser() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Uid + " (" + u.Username + ")"
}

// sameAccount compares two results of SystemUser. On one machine the ID decides.
func sameAccount(a, b string, oneMachine bool) bool {
	if oneMachine {
		a, _, _ = strings.Cut(a, " ")
		b, _, _ = strings.Cut(b, " ")
	}
	return a != "" && strings.EqualFold(a, b)
}

// SameAs reports whether two persons must be taken for one. On one machine, one account of the operating system is one
// person. Between machines AWS decides if it named both; otherwise the accounts are compared, although they may belong to
// different people. It errs on the side of one person: two users of one shared account cannot
// approve each other.
func (p Person) SameAs(o Person, oneMachine bool) bool {
	switch {
	case p.ARN != "" && strings.EqualFold(p.ARN, o.ARN):
		return true
	case oneMachine || p.ARN == "" || o.ARN == "":
		return sameAccount(p.User, o.User, oneMachine)
	}
	return false
}

// Identity names the person: the identity of the credentials, else the account of the operating system, "" for neither.
func (p Person) Identity() string { return cmp.Or(p.ARN, p.User) }

// Person returns who the user of the session really is.
func (s *settings) Person() Person { return s.o.Person }
