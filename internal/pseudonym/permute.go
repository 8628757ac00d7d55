package pseudonym

import (
	"encoding/binary"
	"math/bits"
)

// rounds of the Feistel network. Source: NIST SP 800-38G, FF1, has ten.
const rounds = 10

// permute returns where x of 0 to n-1 is in a permutation that the key and the use determine: no two values get the same
// pseudonym, however few there are. The network permutes a power of four; numbers from n on are permuted again.
func (m *Maker) permute(n, x uint64, use string) uint64 {
	if n < 2 {
		return x
	}
	half := (bits.Len64(n-1) + 1) / 2
	mask := uint64(1)<<half - 1
	for {
		left, right := x>>half, x&mask
		for round := range rounds {
			in := binary.BigEndian.AppendUint64([]byte{byte(round)}, right)
			left, right = right, (left^binary.BigEndian.Uint64(m.sum("round of "+use, string(in))))&mask
		}
		if x = left<<half | right; x < n {
			return x
		}
	}
}
