package cases

import (
	"encoding/binary"
	"math/bits"
)

// rounds is the number of rounds of the Feistel network, as in FF1. Source: NIST SP 800-38G.
const rounds = 10

// permute maps x below n to results below n, without collisions. It permutes a power of four until the result fits.
func (m *pseudonymizer) permute(n, x uint64, use string) uint64 {
	if n < 2 {
		return x
	}
	half, mask := halves(n)
	for {
		left, right := x>>half, x&mask
		for round := range rounds {
			left, right = right, left^m.round(round, right, use)&mask
		}
		if x = left<<half | right; x < n {
			return x
		}
	}
}

// displace returns a number other than x. n is at least 2.
func (m *pseudonymizer) displace(n, x uint64, use string) uint64 {
	return m.permute(n, (m.restore(n, x, use)+1)%n, use)
}

func (m *pseudonymizer) restore(n, x uint64, use string) uint64 {
	half, mask := halves(n)
	for {
		left, right := x>>half, x&mask
		for round := rounds - 1; round >= 0; round-- {
			left, right = right^m.round(round, left, use)&mask, left
		}
		if x = left<<half | right; x < n {
			return x
		}
	}
}

func halves(n uint64) (half int, mask uint64) {
	half = (bits.Len64(n-1) + 1) / 2
	return half, uint64(1)<<half - 1
}

func (m *pseudonymizer) round(round int, right uint64, use string) uint64 {
	in := binary.BigEndian.AppendUint64([]byte{byte(round)}, right)
	return binary.BigEndian.Uint64(m.sum("round of "+use, string(in)))
}
