package widget

// Wordmark returns the name of the program in large letters, in lines of the same width.
func Wordmark() []string {
	return []string{
		"█▀▄ █▀▄ █▀▄ █▀▄ █▀▀ █▀▀ █ █",
		"█ █ █ █ █▀▄ █ █ █▀  ▀▀█ █▀▄",
		"▀▀  ▀▀  ▀▀  ▀▀  ▀▀▀ ▀▀▀ ▀ ▀",
	}
}
