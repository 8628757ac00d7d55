package draft

import (
	"regexp"
	"sync"
)

// lazy compiles an expression when it is first used: most commands use none of this package.
func lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
