package screens

import ()

// A Registration is what the console knows of a screen.
type Registration struct {
	Scope func() Scope
	// Open returns the screen on a target, nil when the target is not its own.
	Open func(*Env, Target) Screen
}

// opens adapts the constructor of a screen to a Registration.
func opens[T Target](open func(*Env, T) Screen) func(*Env, Target) Screen {
	return func(env *Env, to Target) Screen {
		if own, ok := to.(T); ok {
			return open(env, own)
		}
		return nil
	}
}

// registry lists the screens in the order in which they are documented.
var registry = []Registration{
	{homeScope, nil},
	{workbenchScope, opens(OpenWorkbench)},
	{bookmarksScope, opens(NewBookmarks)},
	{itemScope, opens(NewItem)},
	{compareScope, opens(NewCompare)},
	{mapScope, opens(NewMap)},
	{decodeScope, opens(NewDecode)},
	{queueScope, opens(NewQueue)},
	{driftScope, opens(NewDrift)},
	{journalScope, opens(NewJournal)},
	{findingsScope, opens(NewFindings)},
}

// OpenTarget returns the screen of a target.
func OpenTarget(env *Env, to Target) Screen {
	for _, r := range registry {
		if r.Open == nil {
			continue
		}
		if s := r.Open(env, to); s != nil {
			return s
		}
	}
	return nil
}

// Scopes lists the tables of keys, in the order in which they are documented.
func Scopes() []Scope {
	list := make([]Scope, len(registry))
	for i, r := range registry {
		list[i] = r.Scope()
	}
	return list
}
