// Package profiles reads a profile, one YAML file that describes a DynamoDB
// schema, into the checked types of models and accesspatterns. It reports every
// mistake in the file at once, each with line, column, path and the nearest
// valid word.
//
// The package holds the words of the profile language, their JSON Schema and
// the five built-in profiles. Defects of a correctly described schema belong in
// profiles/lint, invented items in profiles/sample.
package profiles
