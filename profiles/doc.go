// Package profiles turns a profile, one YAML file that says what a schema
// document says, into the checked vocabulary of models and accesspatterns. It
// reports every fault of a file at once, each with its line, column and path.
package profiles
