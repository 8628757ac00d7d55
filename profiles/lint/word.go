package lint

// oldWords finds words that have a new spelling: YAML 1.1, which many editors and libraries read, takes on: and off:
// as true and false. https://yaml.org/type/bool.html
func oldWords(l *linter, add func(defect)) {
	for _, w := range l.OldWords {
		add(defect{path: w.Path, suggestion: "write " + w.Now + ":", message: "former spelling of " + w.Now + ", which will be removed"})
	}
}
