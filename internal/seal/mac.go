package seal

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
)

// MAC returns HMAC-SHA-256 of text with the key of the folder. The purpose separates the uses of the key: texts for one
// use have no valid MAC in another. The same text and purpose give the same 32 bytes on this
// machine and no other.
func (s Sealer) MAC(text []byte, purpose string) ([]byte, error) {
	key, err := readKey(s.dir)
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	return sum(sum(key, []byte("ddbdesk mac key: "+purpose)), text), nil
}

func sum(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text) // never returns an error; see hash.Hash
	return h.Sum(nil)
}
