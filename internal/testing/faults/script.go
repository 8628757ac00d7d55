package faults

import (
	"math/rand/v2"
	"slices"
	"sync"
)

// Always gives every request the fault.
func Always(f *Fault) Script {
	return func(Request) *Fault { return f }
}

// First gives the first n requests the fault, and none to those after.
func First(n int, f *Fault) Script {
	return func(r Request) *Fault {
		if r.Number > n {
			return nil
		}
		return f
	}
}

// After lets the first n requests pass, and gives the fault to those after.
func After(n int, f *Fault) Script {
	return func(r Request) *Fault {
		if r.Number <= n {
			return nil
		}
		return f
	}
}

// Nth gives the fault to the nth request alone.
func Nth(n int, f *Fault) Script {
	return func(r Request) *Fault {
		if r.Number != n {
			return nil
		}
		return f
	}
}

// Only keeps a script to some operations, by the names of the API.
func Only(s Script, operations ...string) Script {
	return func(r Request) *Fault {
		if !slices.Contains(operations, r.Operation) {
			return nil
		}
		return s(r)
	}
}

// Writes keeps a script to the requests that change items, and counts those
// alone.
func Writes(s Script) Script { return counted(s, func(r Request) bool { return r.Writes }) }

// Reads keeps a script to the requests that change nothing, and counts those
// alone.
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

// Random gives a share of the requests one of the faults by chance: the same
// seed gives the same faults to the same sequence of requests.
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
