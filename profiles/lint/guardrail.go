package lint

// productionUnnamed finds profiles that name nothing by which production differs from other environments. ddbdesk
// then depends on the names and declarations of contexts.
func productionUnnamed(l *linter, found func(defect)) {
	if !l.NamesNoProduction() {
		return
	}
	defect{path: "guardrails"}.reporter(found)("production", "list the names or account numbers of production",
		"nothing in the profile names production, and no table name has a variable; only a context or an AWS profile with "+
			"prod, production or live in its name is guarded as production")
}
