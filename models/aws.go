package models

import "strings"

// MaxTableName is the longest table name in bytes. Source: Amazon DynamoDB Developer
// Guide, "Naming rules".
const MaxTableName = 255

// IsTableName reports whether text can be a table name, or a part of one such as the
// value of a variable: 1 to [MaxTableName] letters, digits, '_', '.' and '-'. It does not check
// the least length of a whole name, which is 3, because a part may be shorter.
func IsTableName(text string) bool {
	return text != "" && len(text) <= MaxTableName && !strings.ContainsFunc(text, func(r rune) bool {
		return !isLetter(r) && !isDigit(r) && r != '_' && r != '.' && r != '-'
	})
}

// IsAccount reports whether text is the number of an AWS account, which has 12 digits. Leading
// zeros count, so an account is a text and never a number.
func IsAccount(text string) bool {
	return len(text) == 12 && !strings.ContainsFunc(text, func(r rune) bool { return !isDigit(r) })
}

func isLetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
