package faults

import (
	"math/rand/v2"
	"slices"
	"sync"
)

// Always injects the fault into every request.
func Always(f *Fault) Script {
	return func(Request) *Fault { return f }
}

// First injects the fault into the first n requests only.
func First(n int, f *Fault) Script {
	return func(r Request) *Fault {
		if r.Number > n {
			return nil
		}
		return f
	}
}

// After injects the fault into all requests but the first n.
func After(n int, f *Fault) Script {
	return func(r Request) *Fault {
		if r.Number <= n {
			return nil
		}
		return f
	}
}

// Nth injects the fault into the nth request only.
func Nth(n int, f *Fault) Script {
	return func(r Request) *Fault {
		if r.Number != n {
			return nil
		}
		return f
	}
}

// Only restricts a script to some operations, by the names of the API.
func Only(s Script, operations ...string) Script {
	return func(r Request) *Fault {
		if !slices.Contains(operations, r.Operation) {
			return nil
		}
		return s(r)
	}
}

// Writes restricts a script to the requests that change items, and counts only these.
func Writes(s Script) Script { return counted(s, func(r Request) bool { return r.Writes }) }

// Reads restricts a script to the requests that change nothing, and counts only these.
func Reads(s Script) Script { return counted(s, func(r Request) bool { return !r.Writes }) }

func counted(s Script, suits func(Request) bool) Script {
	var mu sync.Mutex
	n := 0
	return func(r Request) *Fault {
		if !suits(r) {
			return nil
		}
		mu.Lock()
		n++
		r.Number = n
		mu.Unlock()
		return s(r)
	}
}

// Random injects one of the faults into a random share of the requests. The same seed gives
// the same faults for the same sequence of requests.
func Random(seed uint64, share float64, list []*Fault) Script {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 1))
	return func(Request) *Fault {
		mu.Lock()
		defer mu.Unlock()
		met, which := random.Float64() < share, random.IntN(len(list))
		if !met {
			return nil
		}
		return list[which]
	}
}
