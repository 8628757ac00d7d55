// These tests compare conditions, updates and the exact message of every error with DynamoDB Local 2.x and DynamoDB's
// documentation.

package expression

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// sample returns the item for evaluating expressions.
func sample() attribute.Item {
	n := func(s string) attribute.Value { return attribute.Value{Kind: attribute.N, Str: s} }
	return attribute.Item{
		"n": n("5"), "s": attribute.String("héllo🙂"), "bin": {Kind: attribute.B, Str: "\x01\x02"}, "yes": {Kind: attribute.BOOL, Truth: true},
		"nul": {Kind: attribute.NULL}, "ss": {Kind: attribute.SS, Set: []string{"a", "b"}},
		"ns": {Kind: attribute.NS, Set: []string{"-1", "9", "10"}},
		"l":  {Kind: attribute.L, List: []attribute.Value{n("1"), attribute.String("x"), n("3"), n("4")}},
		"m": {Kind: attribute.M, Fields: attribute.Item{
			"a": n("1"), "b": {Kind: attribute.M, Fields: attribute.Item{"c": attribute.String("z")}},
		}},
	}
}

func literals() attribute.Item {
	n := func(s string) attribute.Value { return attribute.Value{Kind: attribute.N, Str: s} }
	return attribute.Item{
		":0": n("0"), ":1": n("1"), ":5": n("5"), ":9": n("9"), ":x": attribute.String("x"),
		":ll": attribute.String("ll"), ":a": attribute.String("a"),
		":S": attribute.String("S"), ":Q": attribute.String("Q"), ":bool": {Kind: attribute.BOOL, Truth: true},
		":b1":   {Kind: attribute.B, Str: "\x01"},
		":list": {Kind: attribute.L, List: []attribute.Value{n("9")}}, ":map": {Kind: attribute.M, Fields: attribute.Item{}},
		":ss": {Kind: attribute.SS, Set: []string{"a", "z"}},
		":ab": {Kind: attribute.SS, Set: []string{"a", "b"}}, ":ns": {Kind: attribute.NS, Set: []string{"9", "11"}},
		":nil": {Kind: attribute.NULL},
		":big": n("9" + strings.Repeat("0", 125)), ":38": n("12345678901234567890123456789012345678"), ":tenth": n("0.1"),
	}
}

func testScope() *Scope {
	return &Scope{
		names:  map[string]string{"#n": "n", "#s": "status", "#dot": "a.b", "#m": "m"},
		values: literals(), used: map[string]bool{},
	}
}

func TestConditionsHold(t *testing.T) {
	for src, want := range map[string]bool{
		"n = :5": true, "n <> :5": false, "n < :9": true, "n <= :5": true, "n > :5": false, "n >= :5": true, ":1 < n": true,
		"absent = :5": false, "absent <> :5": true, "NOT absent = :5": true, "n = :x": false, "n <> :x": true, "s > :5": false,
		"n BETWEEN :1 AND :9": true, "n BETWEEN :9 AND :9": false, "n IN (:1, :5)": true, "n IN (:x)": false, "absent IN (:1)": false,
		"size(s) = :5": false, "size(l) > :1": true, "size(ss) > :1": true, "size(bin) > :1": true, "size(n) >= :0": false,
		"size(absent) < :5": false,
		"contains(s, :ll)":  true, "contains(l, :1)": true, "contains(l, :a)": false, "contains(ss, :a)": true,
		"contains(ns, :9)": true, "contains(n, :5)": false,
		"begins_with(s, :x)": false, "begins_with(bin, :b1)": true, "begins_with(n, :x)": false,
		"attribute_type(s, :S)": true, "attribute_type(n, :S)": false,
		"attribute_exists(l[1])": true, "attribute_exists(l[9])": false, "attribute_exists(m.b.c)": true,
		"attribute_not_exists(m.b.d)": true, "attribute_exists(n.a)": false,
		"yes = :bool": true, "nul = :nil": true, "m.a = :1": true, "l[0] = :1": true, "#m.#n = :1": false, "n = n.x": false,
		"n = :1 OR n = :5 AND s = :x": false, "(n = :1 OR n = :5) AND NOT s = :x": true, "not n = :1 and n between :1 and :9": true,
		"n = :5 OR absent = :1": true, "NOT (n = :5)": false, "NOT NOT n = :5": true, "(n) = (:5)": true,
	} {
		e, err := testScope().Condition("ConditionExpression", src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := e.Holds(sample()); got != want {
			t.Errorf("%s = %v, want %v", src, got, want)
		}
	}
}

func TestInvalidConditionsAreRejected(t *testing.T) {
	const operand = "Incorrect operand type for operator or function; operator or function: "
	for src, want := range map[string]string{
		"":                     "The expression can not be empty;",
		"   ":                  `Syntax error; token: "<EOF>", near: "   "`,
		"n = ":                 `Syntax error; token: "<EOF>", near: "= "`,
		"n":                    `Syntax error; token: "<EOF>", near: "n"`,
		"= :5":                 `Syntax error; token: "=", near: "= :5"`,
		"n = :5 b":             `Syntax error; token: "b", near: ":5 b"`,
		"n ! :5":               `Syntax error; token: "!", near: "n ! :5"`,
		"n = 'x'":              `Syntax error; token: "'", near: "= 'x"`,
		"n-b = :5":             `Syntax error; token: "-", near: "n-b"`,
		"n = b = c":            `Syntax error; token: "=", near: "b = c"`,
		"n = :5)":              `Syntax error; token: ")", near: ":5)"`,
		"(n = :5":              `Syntax error; token: "<EOF>", near: ":5"`,
		"n AND s":              `Syntax error; token: "AND", near: "n AND s"`,
		"l[x] = :5":            `Syntax error; token: "x", near: "[x]"`,
		"n in :5":              `Syntax error; token: ":5", near: "in :5"`,
		"l[99999999999] = :5":  "List index is not within the allowable range; index: [99999999999]",
		"((n = :5))":           "The expression has redundant parentheses;",
		"n = :5 and ((n=:1))":  "The expression has redundant parentheses;",
		"foo(n)":               "Invalid function name; function: foo",
		"list_append(n, :5)":   "The function is not allowed in a condition expression; function: list_append",
		"size(n)":              "The function is not allowed to be used this way in an expression; function: size",
		"contains(n, :5) = :5": "The function is not allowed to be used this way in an expression; function: contains",
		"status = :5":          "Attribute name is a reserved keyword; reserved keyword: status",
		"m.Count = :5":         "Attribute name is a reserved keyword; reserved keyword: Count",
		"#zz = :5":             "An expression attribute name used in the document path is not defined; attribute name: #zz",
		"n = :zz":              "An expression attribute value used in expression is not defined; attribute value: :zz",
		"contains(n)": "Incorrect number of operands for operator or function; operator or " +
			"function: contains, number of operands: 1",
		"n = #n": "The first operand must be distinct from the remaining operands for this " +
			"operator or function; operator: =, first operand: [n]",
		"n < :bool": operand + "<, operand type: BOOL",
		"n BETWEEN :9 AND :1": "The BETWEEN operator requires upper bound to be greater than or equal to " +
			"lower bound; lower bound operand: AttributeValue: {N:9}, upper bound operand: AttributeValue: {N:1}",
		"n BETWEEN :x AND :1": "The BETWEEN operator requires same data type for lower and upper bounds; " +
			"lower bound operand: AttributeValue: {S:x}, upper bound operand: AttributeValue: {N:1}",
		"begins_with(n, :5)":    operand + "begins_with, operand type: N",
		"attribute_type(n, :5)": operand + "attribute_type, operand type: N",
		"attribute_type(n, :Q)": "Invalid attribute type name found; type: Q, valid types: " +
			"{B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
		"attribute_exists(:5)": "Operator or function requires a document path; operator or " +
			"function: attribute_exists",
		strings.Repeat("NOT ", 300) + "n = :5":         "The expression contains too many operators; operator count: 301",
		"n" + strings.Repeat("[0]", 32) + " = :5":      "The document path has too many nesting levels; nesting levels: 33",
		"n IN (:5" + strings.Repeat(", :5", 100) + ")": "The IN operator is provided with too many operands; number of operands: 101",
		"size(:5) = :5":                     operand + "size, operand type: N",
		strings.Repeat("n", 4092) + " = :5": "Expression size has exceeded the maximum allowed size; expression size: 4097",
	} {
		_, err := testScope().Condition("ConditionExpression", src)
		if got, want := messageOfError(err), "Invalid ConditionExpression: "+want; got != want {
			t.Errorf("%s\n got  %s\n want %s", src, got, want)
		}
	}
}

func messageOfError(err error) string {
	if err == nil {
		return ""
	}
	return apierror.MessageOf(err)
}

func TestReservedWordsAreRejected(t *testing.T) {
	if n := len(reserved()); n != 573 {
		t.Errorf("the list has %d reserved words, want 573", n)
	}
	for _, word := range []string{"status", "Name", "TTL", "data", "YEAR", "count", "Region", "users"} {
		if !isReserved(word) {
			t.Errorf("isReserved(%s) is false", word)
		}
	}
	if isReserved("createdAt") || isReserved("PK") {
		t.Error("isReserved is true for createdAt or PK")
	}
}

func TestUpdatesChangeItem(t *testing.T) {
	n := func(s string) attribute.Value { return attribute.Value{Kind: attribute.N, Str: s} }
	list := func(v ...attribute.Value) attribute.Value { return attribute.Value{Kind: attribute.L, List: v} }
	x := attribute.String("x")
	for src, want := range map[string]attribute.Item{
		"SET n = n + :1": {"n": n("6")},
		"SET n = :1 - n": {"n": n("-4")},
		"SET n = n - n":  {"n": n("0")},
		"SET fresh = if_not_exists(fresh, :1) + :1": {"fresh": n("2")},
		"SET fresh = if_not_exists(n, :1)":          {"fresh": n("5")},
		"SET fresh = list_append(l, :list)":         {"fresh": list(n("1"), x, n("3"), n("4"), n("9"))},
		"SET l[0] = :x":                             {"l": list(x, x, n("3"), n("4"))},
		"SET l[9] = :9, l[7] = :1":                  {"l": list(n("1"), x, n("3"), n("4"), n("1"), n("9"))},
		"SET l[0] = :x REMOVE l[1], l[3]":           {"l": list(x, n("3"))},
		"REMOVE l[0], l[1], l[9]":                   {"l": list(n("3"), n("4"))},
		"SET m.b.c = :1, m.fresh = :x": {"m": {
			Kind: attribute.M, Fields: attribute.Item{"a": n("1"), "fresh": x, "b": {Kind: attribute.M, Fields: attribute.Item{"c": n("1")}}},
		}},
		"REMOVE m.b, n":                    {"m": {Kind: attribute.M, Fields: attribute.Item{"a": n("1")}}, "n": {}},
		"ADD n :1, fresh :5":               {"n": n("6"), "fresh": n("5")},
		"ADD ss :ss":                       {"ss": {Kind: attribute.SS, Set: []string{"a", "b", "z"}}},
		"ADD ns :ns":                       {"ns": {Kind: attribute.NS, Set: []string{"-1", "9", "10", "11"}}},
		"DELETE ss :ss":                    {"ss": {Kind: attribute.SS, Set: []string{"b"}}},
		"DELETE ss :ab":                    {"ss": {}},
		"DELETE fresh :ab":                 {},
		"SET n = s, s = n":                 {"n": sample()["s"], "s": n("5")},
		"set n = :1 remove s add fresh :1": {"n": n("1"), "s": {}, "fresh": n("1")},
		"SET #s = :x, #dot = :1":           {"status": x, "a.b": n("1")},
		"SET n = (n + :1)":                 {"n": n("6")},
		"SET fresh = if_not_exists(q, if_not_exists(r, :1))": {"fresh": n("1")},
		"SET n = n": {},
	} {
		actions, err := testScope().Update(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		before := sample()
		got, err := Apply(before, actions)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		expected := sample()
		for name, v := range want {
			if expected[name] = v; v.Kind == 0 {
				delete(expected, name)
			}
		}
		if !got.Equal(expected) {
			t.Errorf("%s\n got  %s\n want %s", src, attribute.AppendItem(nil, got), attribute.AppendItem(nil, expected))
		}
		if !before.Equal(sample()) {
			t.Errorf("%s changed its input item", src)
		}
	}
}

func TestInvalidUpdatesAreRejected(t *testing.T) {
	const prefix = "Invalid UpdateExpression: "
	const badPath = "The document path provided in the update expression is invalid for update"
	const wrongType = "An operand in the update expression has an incorrect data type"
	for src, want := range map[string]string{
		"":                      prefix + "The expression can not be empty;",
		"SET":                   prefix + `Syntax error; token: "<EOF>", near: "SET"`,
		"FOO n":                 prefix + `Syntax error; token: "FOO", near: "FOO n"`,
		"SET n = :1,":           prefix + `Syntax error; token: "<EOF>", near: ","`,
		"ADD n = :1":            prefix + `Syntax error; token: "=", near: "n = :1"`,
		"SET n = n + :1 + :1":   prefix + `Syntax error; token: "+", near: ":1 + :1"`,
		"SET n = ((:1))":        prefix + "The expression has redundant parentheses;",
		"SET n = :1 SET s = :1": prefix + `The "SET" section can only be used once in an update expression;`,
		"SET n = foo(:1)":       prefix + "Invalid function name; function: foo",
		"SET n = size(s)":       prefix + "The function is not allowed in an update expression; function: size",
		"SET status = :1":       prefix + "Attribute name is a reserved keyword; reserved keyword: status",
		"SET n = :zz":           prefix + "An expression attribute value used in expression is not defined; attribute value: :zz",
		"SET n = :1, n = :9": prefix + "Two document paths overlap with each other; must remove or rewrite " +
			"one of these paths; path one: [n], path two: [n]",
		"SET m.a = :1, m[0] = :1": prefix + "Two document paths conflict with each other; must remove or rewrite " +
			"one of these paths; path one: [m, a], path two: [m, [0]]",
		"SET m = :1 REMOVE m.a": prefix + "Two document paths overlap with each other; must remove or rewrite " +
			"one of these paths; path one: [m], path two: [m, a]",
		"ADD n :x": prefix + "Incorrect operand type for operator or function; operator: ADD, " +
			"operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND",
		"DELETE n :1": prefix + "Incorrect operand type for operator or function; operator: DELETE, " +
			"operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND",
		"SET n = n + :x": prefix + "Incorrect operand type for operator or function; operator or function: +, operand type: S",
		"SET n = list_append(l)": prefix + "Incorrect number of operands for operator or function; operator or " +
			"function: list_append, number of operands: 1",
		"SET n = if_not_exists(:1, :1)":     prefix + "Operator or function requires a document path; operator or function: if_not_exists",
		"SET n = absent":                    "The provided expression refers to an attribute that does not exist in the item",
		"SET s = s + :1":                    wrongType,
		"ADD s :1":                          wrongType,
		"DELETE ss :ns":                     wrongType,
		"SET fresh = list_append(s, :list)": wrongType,
		"SET fresh.a = :1":                  badPath,
		"SET m.fresh.a = :1":                badPath,
		"SET l.a = :1":                      badPath,
		"SET n[0] = :1":                     badPath,
		"REMOVE fresh.a":                    badPath,
		"SET n = :big + :big":               "Number overflow. Attempting to store a number with magnitude larger than supported range",
		"SET n = :38 + :tenth":              "Attempting to store more than 38 significant digits in a Number",
	} {
		actions, err := testScope().Update(src)
		if err == nil {
			_, err = Apply(sample(), actions)
		}
		if got := messageOfError(err); got != want {
			t.Errorf("%s\n got  %s\n want %s", src, got, want)
		}
	}
}

func TestProjectionsSelectParts(t *testing.T) {
	for src, want := range map[string]string{
		"n": `{"n":{"N":"5"}}`, "m.b.c": `{"m":{"M":{"b":{"M":{"c":{"S":"z"}}}}}}`, "l[3], l[0]": `{"l":{"L":[{"N":"1"},{"N":"4"}]}}`,
		"l[9], m.q, absent, n.a": `{}`, "#n": `{"n":{"N":"5"}}`,
	} {
		paths, err := testScope().Projection(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if diff := cmp.Diff(want, string(attribute.AppendItem(nil, Select(paths).Project(sample())))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", src, diff)
		}
	}
	for src, want := range map[string]string{
		"": "The expression can not be empty;", "n,": `Syntax error; token: "<EOF>", near: ","`, "status": "Attribute name " +
			"is a reserved keyword; reserved keyword: status",
		"m, m.a": "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [m], path two: [m, a]",
		"#zz":    "An expression attribute name used in the document path is not defined; attribute name: #zz",
	} {
		_, err := testScope().Projection(src)
		if got := messageOfError(err); got != "Invalid ProjectionExpression: "+want {
			t.Errorf("%s: got %s", src, got)
		}
	}
}

// FuzzStatement parses a text as a PartiQL statement and evaluates valid ones.
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
			st.Columns.Project(it)
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

// The fuzz tests check that any text evaluates or fails with a client error:
//
//	go test ./internal/embedded/expression -run '^$' -fuzz FuzzExpression
//	go test ./internal/embedded/expression -run '^$' -fuzz FuzzStatement

// FuzzExpression parses a text as every kind of expression and evaluates valid ones.
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
				Select(ActionPaths(actions)).Project(after)
				if _, err := attribute.DecodeItem(attribute.EncodeItem(after)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if paths, err := testScope().Projection(src); refusedOrNil(t, src, err) {
			Select(paths).Project(it)
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
