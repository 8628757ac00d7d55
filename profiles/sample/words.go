package sample

import (
	"embed"
	"strings"
)

//go:embed words/*.txt
var wordFiles embed.FS

// The words that texts are invented from. A change of a list changes the sample
// data of every seed.
var (
	givenNames  = readWords("given-names")
	familyNames = readWords("family-names")
	plainWords  = readWords("words")
	nouns       = readWords("nouns")
	sentences   = readWords("sentences")
	failures    = readWords("failures")
	zones       = readWords("time-zones")
	agents      = readWords("user-agents")
)

func readWords(name string) []string {
	text, err := wordFiles.ReadFile("words/" + name + ".txt")
	if err != nil {
		panic("sample: a word list is not in the program: " + err.Error())
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
