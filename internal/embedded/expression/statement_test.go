package expression

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// FuzzStatement parses a text as a PartiQL statement and evaluates the valid ones.
func FuzzStatement(f *testing.F) {
	for _, src := range []string{
		"SELECT * FROM t", `SELECT a.b[0], "c" FROM "t"."i" WHERE n = 5 AND begins_with(s, 'h') ORDER BY n DESC, s`,
		"INSERT INTO t VALUE {'a':1,'b':[true,null,<<'x','y'>>],'c':{'d':-1.5e3}}", "INSERT INTO t VALUE {'a':?}",
		"UPDATE t SET n = n + 1 - 2, s = 'x' REMOVE l[0] SET ss = set_add(ss, <<'c'>>) WHERE n = 5 RETURNING ALL OLD *",
		"DELETE FROM t WHERE n IN [1,5] OR n IN (1, 5) RETURNING ALL OLD *", "EXISTS(SELECT * FROM t WHERE n IS NOT MISSING)",
		"SELECT * FROM t WHERE m['b'].c IS NULL AND NOT ((n != 5))", "SELECT n FROM t WHERE n IN ?", "select value from t -- x",
		"", "'", `"`, "<<", "SELECT", "SELECT * FROM t WHERE", "INSERT INTO t VALUE {", "UPDATE t SET", "1e", "1.", ".5.5", "SELECT - FROM",
		strings.Repeat("(", 4000), "SELECT * FROM t WHERE " + strings.Repeat("(", 4000), "INSERT INTO t VALUE " + strings.Repeat("{'a':", 2000),
		"INSERT INTO t VALUE {'a':" + strings.Repeat("[", 4000), "SELECT * FROM t WHERE " + strings.Repeat("NOT ", 1000) + "n = 5",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		it := sample()
		st, err := ParseStatement(src, []attribute.Value{attribute.String("x")})
		if !refusedOrNil(t, src, err) {
			st, err = ParseStatement(src, nil)
		}
		if !refusedOrNil(t, src, err) {
			return
		}
		st.Where.Holds(it)
		st.Where.Holds(nil)
		if st.Columns != nil {
			st.Columns.Of(it)
		}
		keys := []attribute.Key{{Name: "n", Kind: attribute.N}, {Name: "s", Kind: attribute.S}}
		if _, _, err := SplitKeys(st.Where, keys, 1); !refusedOrNil(t, src, err) {
			return
		}
		if after, err := Apply(it, st.Actions); refusedOrNil(t, src, err) {
			if _, err := attribute.DecodeItem(attribute.EncodeItem(after)); err != nil {
				t.Fatal(err)
			}
		}
		if !it.Equal(sample()) {
			t.Fatalf("%q changed its input item", src)
		}
	})
}
