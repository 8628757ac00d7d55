// Fuzzing: every text is rejected with an error of the client, or evaluated.
//
//	go test ./internal/embedded/expression -run '^$' -fuzz FuzzExpression
//	go test ./internal/embedded/expression -run '^$' -fuzz FuzzStatement

package expression

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// FuzzExpression parses a text as every kind of expression and evaluates the valid ones.
func FuzzExpression(f *testing.F) {
	for _, src := range []string{
		"n = :5 AND (begins_with(s, :x) OR NOT attribute_exists(m.b[0].c))", "n BETWEEN :1 AND :9", "n BETWEEN :1 AND :9 IN (:1",
		"contains(l, :5) OR n IN (:5, n) AND size(m) > :1", "attribute_type(#n, :x)", "m.a, l[0], #n", "n = :5 AND begins_with(s, :x)",
		"SET n = if_not_exists(n, :1) + :1 REMOVE l[0] ADD ss :ss DELETE ss :ab", "SET l[0] = l[1], m.b = list_append(l, l)",
		"SET n = (n - :1), l[9] = n", "", "((((", "((n = :5))", "SET", "l[", "l[99999999999999999999]", "n.#", ":", "#",
		"é = \xff", "n = \x00",
		strings.Repeat("(", 4000), strings.Repeat("NOT ", 1000) + "n = :5", "n" + strings.Repeat("[0]", 1300), strings.Repeat("size(", 800),
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		it := sample()
		if e, err := testScope().Condition("ConditionExpression", src); refusedOrNil(t, src, err) {
			e.Holds(it)
			e.Holds(nil)
			refusedOrNil(t, src, KeyConditions(e, map[string]KeyCondition{}))
		}
		if actions, err := testScope().Update(src); refusedOrNil(t, src, err) {
			after, err := Apply(it, actions)
			if refusedOrNil(t, src, err) {
				Select(ActionPaths(actions)).Of(after)
				if _, err := attribute.DecodeItem(attribute.EncodeItem(after)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if paths, err := testScope().Projection(src); refusedOrNil(t, src, err) {
			Select(paths).Of(it)
		}
		if !it.Equal(sample()) {
			t.Fatalf("%q changed its input item", src)
		}
	})
}

// refusedOrNil checks that an error is a client error, and reports whether there is none.
func refusedOrNil(t *testing.T, src string, err error) bool {
	t.Helper()
	var api *apierror.Error
	if err != nil && (!errors.As(err, &api) || api.Status != http.StatusBadRequest) {
		t.Fatalf("%q: %v is not a client error", src, err)
	}
	return err == nil
}
