package canary

import "regexp"

var sensitive = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^\s*(sensitive|undocumented): *\S+ *(#.*)?\n`), // a line of its own
	regexp.MustCompile(`\b(sensitive|undocumented): *\w+, *`),              // among others
	regexp.MustCompile(`, *(sensitive|undocumented): *\w+`),                // the last one
}

// Blind returns the text of a profile without its sensitive marks. With it, the program masks
// nothing that the profile declares.
func Blind(profile []byte) []byte {
	for _, r := range sensitive {
		profile = r.ReplaceAll(profile, nil)
	}
	return profile
}
