package find_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// A testDatabase is one database with the sample data of built-in schemas. It records the requests.
type testDatabase struct {
	*fixture.Recorder
	fixtures map[string]*fixture.Fixture
	opened   int
}

func newTestDatabase(t *testing.T, names ...string) *testDatabase {
	t.Helper()
	w := &testDatabase{Recorder: &fixture.Recorder{Doer: fixture.Database(t)}, fixtures: map[string]*fixture.Fixture{}}
	conn := fixture.Connect(t, w.Recorder)
	for _, name := range names {
		f := fixture.NewOn(t, profileOf(t, name), conn)
		f.Create(t)
		f.Seed(t)
		w.fixtures[name] = f
	}
	return w
}

func profileOf(t *testing.T, name string) *profiles.Profile {
	t.Helper()
	p, err := profiles.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// finder returns a finder for the schemas. The function change modifies the options of their sessions.
func (d *testDatabase) finder(o find.Options, change func(*session.Options)) *find.Finder {
	var sources []find.Source
	for _, name := range profiles.Names() {
		f := d.fixtures[name]
		if f == nil {
			continue
		}
		sources = append(sources, find.Source{Place: find.Place{Profile: f.Profile}, Open: func(context.Context) (*workspace.Workspace, error) {
			d.opened++
			options := f.Options()
			if change != nil {
				change(&options)
			}
			return f.Open(options), nil
		}})
	}
	return find.New(sources, o)
}

// search runs a search to its end.
func search(t *testing.T, f *find.Finder, text string) find.Result {
	t.Helper()
	s, err := f.Search(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return wait(s)
}

func wait(s *find.Search) find.Result {
	for range s.Changed() {
		continue // the last result is complete
	}
	return s.Result()
}

// sampleValue returns the attribute from the first sample item of an entity that has it.
func (d *testDatabase) sampleValue(t *testing.T, schema, entity, attribute string) string {
	t.Helper()
	for _, s := range d.fixtures[schema].Samples(t) {
		if s.Entity.Name != entity {
			continue
		}
		if v, ok := s.Entity.Values(s.Item)(attribute); ok {
			return v
		}
	}
	t.Fatalf("no sample item %s has %s", entity, attribute)
	return ""
}

func (d *testDatabase) sampleItem(t *testing.T, schema, entity string) map[string]string {
	t.Helper()
	samples := d.fixtures[schema].Samples(t)
	i := slices.IndexFunc(samples, func(s sample.Item) bool { return s.Entity.Name == entity })
	text := map[string]string{}
	for name := range samples[i].Item {
		text[name], _ = samples[i].Item.Text(name)
	}
	return text
}

// pasted contains values that a customer would send to a support agent.
var pasted = []struct{ name, schema, entity, attribute string }{
	{"case", "authbridge", "Verification", "verificationId"},
	{"bid", "ebay-sniper", "Bid", "bidId"},
	{"email address of a user", "ebay-sniper", "User", "email"},
	{"card request", "tazco", "CardRequest", "requestId"},
	{"user", "tazco", "User", "ecosystemId"},
	{"domain", "form-bridge", "Registration", "domain"},
	{"video", "zentriqvision", "Video", "videoId"},
	{"person", "zentriqvision", "Person", "personId"},
	{"email address of a registration", "form-bridge", "Registration", "admin_email"},
	{"auction", "ebay-sniper", "Bid", "ebayItemId"},
	{"transaction", "tazco", "Transaction", "transactionId"},
}

// All schemas of a context share a limit of reads. The finder offers the rest, and runs it with consent.
func TestReadLimitIsSharedByAllSchemas(t *testing.T) {
	w := newTestDatabase(t, profiles.Names()...)
	f := w.finder(find.Options{Reads: 4, Offers: true}, nil)
	user := w.sampleValue(t, "tazco", "User", "ecosystemId")
	w.Reset()
	r := search(t, f, user)
	if n := len(reads(w)); n > 4 || !r.Incomplete || len(r.Offers) == 0 || r.Offers[0].Kind != find.RemainingOffer || len(r.Hits) == 0 || !r.Hits[0].Identified {
		t.Fatalf("got %d reads, incomplete %v, offers %+v and %d hits", n, r.Incomplete, r.Offers, len(r.Hits))
	}
	s, err := f.Accept(t.Context(), user, r.Offers)
	if err != nil {
		t.Fatal(err)
	}
	all := search(t, w.finder(find.Options{Reads: 100}, nil), user)
	if more := r.Merge(wait(s)); len(more.Hits) != len(all.Hits) {
		t.Errorf("got %d of %d items", len(more.Hits), len(all.Hits))
	}
}

// A link to a card also contains its user. Both IDs form one key, so the finder reads it once.
func TestIDsInOneKeyShareRead(t *testing.T) {
	w := newTestDatabase(t, profiles.Names()...)
	card, transaction := w.sampleItem(t, "tazco", "Card"), w.sampleItem(t, "tazco", "Transaction")
	user, id, _ := strings.Cut(transaction["ecosystemIdCardId"], "#")
	for text, title := range map[string]string{
		"https://admin.example.com/users/" + card["ecosystemId"] + "/cards/" + card["cardId"]: card["cardId"],
		"user " + user + " card " + id + " transaction " + transaction["transactionId"]:       transaction["transactionId"],
	} {
		w.Reset()
		r := search(t, w.finder(find.Options{}, nil), text)
		if n := len(reads(w)); n > 8 || len(r.Hits) == 0 || r.Hits[0].Card().Title != title {
			t.Errorf("%s: got %d reads and %d hits", text, n, len(r.Hits))
		}
	}
}

func TestSearchInAllSchemas(t *testing.T) {
	w := newTestDatabase(t, profiles.Names()...)
	f := w.finder(find.Options{}, nil)
	for _, p := range pasted {
		for _, around := range []string{
			"%s", "Hi, the customer asks about %s, can you look?", "https://app.example.com/admin/%s?tab=2",
			"2026-01-20T10:11:12Z ERROR requestId=8f5078b0-2f3c-4d5e-9a1b-7c6d5e4f3a2b failed for %s: timeout",
		} {
			t.Run(p.name+" in "+around, func(t *testing.T) { w.checkFirstHit(t, f, p.schema, p.entity, p.attribute, around) })
		}
	}
	if w.opened != len(profiles.Names()) {
		t.Errorf("connected %d times, want once for each schema", w.opened)
	}
	t.Run("first hit after one round trip", func(t *testing.T) { w.checkOneRoundTrip(t, f) })
	t.Run("budget", w.checkBudget)
}

// checkFirstHit searches for a value and fails unless the first hit is its item.
func (d *testDatabase) checkFirstHit(t *testing.T, f *find.Finder, schema, entity, attribute, around string) {
	text := d.sampleValue(t, schema, entity, attribute)
	r := search(t, f, fmt.Sprintf(around, text))
	if len(r.Hits) == 0 {
		t.Fatalf("%s: no hits; missing %v, failures %v", text, r.Missing, r.Failures)
	}
	h := r.Hits[0]
	if v, _ := h.Entity.Values(h.Item)(attribute); h.Entity.Name != entity || v != text || h.Workspace.Session.Profile().Name != schema {
		t.Errorf("the first hit is %s %s", h.Entity.Name, h.Table.KeyText(h.Item))
	}
	if len(r.Failures) > 0 || r.Incomplete {
		t.Errorf("got failures %v, incomplete %v", r.Failures, r.Incomplete)
	}
	t.Logf("%s: %d hits, %d requests, %.1f RCU, way %d", text, len(r.Hits), r.Requests, r.Capacity, h.Way)
}

// checkOneRoundTrip holds every response until the finder requests the item, to prove that one round trip suffices.
func (d *testDatabase) checkOneRoundTrip(t *testing.T, f *find.Finder) {
	id := d.sampleValue(t, "authbridge", "Verification", "verificationId")
	server := d.Doer
	defer func() { d.Doer = server }()
	d.Doer = &barrier{Doer: server, release: make(chan struct{}), until: "CASE#" + id}
	s, err := f.Search(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if r := wait(s); len(r.Hits) == 0 || !r.Hits[0].Identified {
		t.Errorf("got hits %v, want an identified item", r.Hits)
	}
}

// A barrier holds all responses until a request contains the text, or the test releases them.
type barrier struct {
	store.Doer
	release chan struct{}
	until   string
	once    sync.Once
}

func (b *barrier) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	if b.until != "" && strings.Contains(string(body), b.until) {
		b.once.Do(func() { close(b.release) })
	}
	<-b.release
	return b.Doer.Do(req)
}

func (d *testDatabase) checkBudget(t *testing.T) {
	for budget := 1; budget <= 41; budget += 20 {
		limited := d.finder(find.Options{Reads: budget}, nil)
		for _, text := range []string{"nothing", d.sampleValue(t, "tazco", "CardRequest", "requestId"), "CASE#ver_1"} {
			d.Reset()
			r := search(t, limited, text)
			if n := len(reads(d)); n > budget || len(d.Operations()) != r.Requests {
				t.Errorf("%q: got %d reads for a budget of %d, %d counted", text, n, budget, r.Requests)
			}
			if budget == 1 && text == "nothing" && !r.Incomplete {
				t.Error("an incomplete search is not marked as incomplete")
			}
		}
	}
}

// The hit shows the newest audit entry of the case. Reading it counts toward the budget of the search.
func TestBestResultHasItsLastEvent(t *testing.T) {
	w := newTestDatabase(t, "authbridge", "tazco")
	newest := map[string]string{}
	trail := w.fixtures["authbridge"].Profile.Trails[0]
	for _, s := range w.fixtures["authbridge"].Samples(t) {
		if s.Entity != trail.Entity {
			continue
		}
		values := s.Entity.Values(s.Item)
		id, _ := values("verificationId")
		if at, _ := values(trail.When); at > newest[id] {
			newest[id] = at
		}
	}
	shown := 0
	for _, s := range w.fixtures["authbridge"].Samples(t) {
		if s.Entity.Name != "Verification" {
			continue
		}
		id, _ := s.Item.Text("verificationId")
		r := search(t, w.finder(find.Options{}, nil), id)
		if last := r.Hits[0].Card().Last; last != nil {
			shown++
			if last.WhenText != newest[id] {
				t.Errorf("%s: the last event is %s, want %s", id, last.WhenText, newest[id])
			}
		}
		if without := search(t, w.finder(find.Options{Reads: 1}, nil), id); without.Requests > 1 ||
			len(without.Hits) > 0 && without.Hits[0].Last != nil {
			t.Errorf("%s: the search with a limit of one sent %d requests", id, without.Requests)
		}
	}
	if shown == 0 {
		t.Error("no hit has an event")
	}
}

func TestProductionIsNotScanned(t *testing.T) {
	w := newTestDatabase(t, "ebay-sniper")
	production := true
	f := w.finder(find.Options{}, func(o *session.Options) { o.Declared.Production = &production })
	bid := w.sampleValue(t, "ebay-sniper", "Bid", "bidId")
	w.Reset()
	r := search(t, f, bid)
	if slices.Contains(w.Operations(), "Scan") || len(r.Hits) > 0 {
		t.Errorf("sent %v and found %v, want no scan", w.Operations(), r.Hits)
	}
	if len(r.Offers) != 1 || r.Offers[0].Table.ID != "bids" || r.Offers[0].Estimate.Items == 0 {
		t.Fatalf("got offers %v, want one for bids", r.Offers)
	}
	if len(r.Missing) == 0 || r.Missing[0].Pattern.ID != "get-bid" || !slices.Equal(r.Missing[0].Parameters, []string{"userId"}) {
		t.Errorf("got missing parameters %v, want userId for get-bid", r.Missing)
	}
	s, err := f.Accept(t.Context(), bid, r.Offers)
	if err != nil {
		t.Fatal(err)
	}
	if r = wait(s); len(r.Hits) != 1 || r.Hits[0].Way != find.Scanned || !r.Hits[0].Identified {
		t.Errorf("the scan returned %v, want 1 identified hit", r.Hits)
	}
}

func TestLargeTablesAreOfferedOnly(t *testing.T) {
	w := newTestDatabase(t, "ebay-sniper")
	bid := w.sampleValue(t, "ebay-sniper", "Bid", "bidId")
	for _, limit := range []float64{1, -1} {
		w.Reset()
		r := search(t, w.finder(find.Options{ScanUnits: limit}, nil), bid)
		if slices.Contains(w.Operations(), "Scan") || len(r.Offers) != 1 {
			t.Errorf("limit %v: sent %v, offers %v, want no scan and 1 offer", limit, w.Operations(), r.Offers)
		}
	}
}

func TestSchemasWithoutTablesAreNamed(t *testing.T) {
	w := newTestDatabase(t, "authbridge")
	w.fixtures["tazco"] = fixture.NewOn(t, profileOf(t, "tazco"), fixture.Connect(t, w.Recorder))
	f := w.finder(find.Options{}, nil)
	r := search(t, f, "eco_1")
	for range 2 {
		if len(r.Failures) != 0 || len(r.Unused) != 1 || r.Unused[0].Profile.Name != "tazco" || slices.Contains(r.Absent, r.Unused[0]) {
			t.Errorf("got unused %v, absent %v, failures %v", r.Unused, r.Absent, r.Failures)
		}
		w.Reset()
		r = search(t, f, "eco_2")
	}
	if n := len(w.Operations()); n > 5 || slices.Contains(w.Operations(), "ListTables") {
		t.Errorf("%v: the search read missing tables again", w.Operations())
	}
}

// A finder lives as long as a console or an MCP server, so it also finds items in a table that is created later.
func TestTableCreatedLaterIsSearched(t *testing.T) {
	w := newTestDatabase(t)
	tazco := fixture.NewOn(t, profileOf(t, "tazco"), fixture.Connect(t, w.Recorder))
	w.fixtures["tazco"] = tazco
	now := time.Now()
	f := w.finder(find.Options{}, func(o *session.Options) { o.Clock = func() time.Time { return now } })
	const key = "USER#u_1"
	if r := search(t, f, key); len(r.Unused) != 1 {
		t.Fatalf("got unused %v, failures %v", r.Unused, r.Failures)
	}
	tazco.Create(t)
	now = now.Add(time.Minute)
	if r := search(t, f, key); len(r.Unused) != 0 || r.Requests == 0 {
		t.Errorf("got %d requests, unused %v", r.Requests, r.Unused)
	}
}

func TestUnreadableSchemaDoesNotStopOthers(t *testing.T) {
	w := newTestDatabase(t, "authbridge")
	id := w.sampleValue(t, "authbridge", "Verification", "clientId")
	broken := find.Source{Place: find.Place{Profile: profileOf(t, "tazco")}, Open: func(context.Context) (*workspace.Workspace, error) {
		return nil, errors.New("no credentials")
	}}
	good := find.Source{Place: find.Place{Profile: w.fixtures["authbridge"].Profile}, Open: func(context.Context) (*workspace.Workspace, error) {
		return w.fixtures["authbridge"].Workspace, nil
	}}
	r := search(t, find.New([]find.Source{broken, good}, find.Options{}), id)
	if len(r.Hits) == 0 || len(r.Failures) != 1 || r.Failures[0].Err.Error() != "no credentials" {
		t.Errorf("got %d hits and failures %v, want 1 failure", len(r.Hits), r.Failures)
	}
}

func TestCanceledSearchKeepsResults(t *testing.T) {
	w := newTestDatabase(t, "authbridge", "tazco")
	f := w.finder(find.Options{}, nil)
	id := w.sampleValue(t, "authbridge", "Verification", "verificationId")
	search(t, f, id)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := f.Search(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if r := wait(s); !r.Done || !r.Incomplete || len(r.Failures) > 0 {
		t.Errorf("got done %v, incomplete %v, failures %v", r.Done, r.Incomplete, r.Failures)
	}
	blocked := make(chan struct{})
	w.Doer = &barrier{Doer: w.Doer, release: blocked}
	if s, err = f.Search(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	s.Cancel()
	close(blocked)
	if r := wait(s); !r.Done {
		t.Error("the canceled search did not end")
	}
}

func TestScansDoNotFindSecrets(t *testing.T) {
	w := newTestDatabase(t, "form-bridge")
	secret := w.sampleValue(t, "form-bridge", "SiteCredentials", "webhook_secret")
	if r := search(t, w.finder(find.Options{}, nil), secret); len(r.Hits) > 0 {
		t.Errorf("the search for a secret found %s", r.Hits[0].Table.KeyText(r.Hits[0].Item))
	}
}

// A sort key without its partition key needs a scan, which runs without consent only in a small table.
func TestSortKeyWithoutPartitionKeyNeedsScan(t *testing.T) {
	w := newTestDatabase(t, "authbridge")
	id := w.sampleValue(t, "authbridge", "Document", "documentId")
	r := search(t, w.finder(find.Options{}, nil), "DOC#"+id)
	if len(r.Hits) != 1 || r.Hits[0].Entity.Name != "Document" || !r.Hits[0].Identified || r.Hits[0].Way != find.Scanned {
		t.Errorf("got hits %+v, want one scanned document", r.Hits)
	}
	if r := search(t, w.finder(find.Options{ScanUnits: -1}, nil), "DOC#"+id); len(r.Offers) != 1 {
		t.Errorf("got %d offers, want 1", len(r.Offers))
	}
}

// newClubFinder returns a finder for two teams in one partition, in which every scan needs consent.
func newClubFinder(t *testing.T) (*testDatabase, *find.Finder) {
	t.Helper()
	p, err := profiles.Load("club.yaml", []byte(`
name: club
tables: {club: {partition_key: PK, sort_key: SK, ttl: until}}
entities:
  Team:
    table: club
    keys: {PK: TEAMS, SK: "TEAM#{teamId}"}
    attributes:
      teamId: {type: S, required: true, format: ulid}
      title: {type: S}
      coach: {type: S, sensitive: pii}
      until: {type: N, format: epoch-seconds}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &testDatabase{Recorder: &fixture.Recorder{Doer: fixture.Database(t)}}
	f := fixture.NewOn(t, p, fixture.Connect(t, w.Recorder))
	f.Create(t)
	for id, title := range map[string]string{"01K9ZQ4B6M7N8P9Q0R1S2T3V4W": "Blue Jackets", "01K9ZQ5B6M7N8P9Q0R1S2T3V4W": "Red Socks"} {
		f.Put(t, p.Tables[0], models.Item{
			"PK": models.StringValue("TEAMS"), "SK": models.StringValue("TEAM#" + id), "teamId": models.StringValue(id),
			"title": models.StringValue(title), "coach": models.StringValue("Ana Smith"),
			"until": &types.AttributeValueMemberN{Value: fmt.Sprint(f.Options().Clock().Add(time.Hour).Unix())},
		})
	}
	open := func(context.Context) (*workspace.Workspace, error) {
		o := f.Options()
		late := o.Clock
		o.Clock = func() time.Time { return late().Add(2 * time.Hour) }
		return f.Open(o), nil
	}
	return w, find.New([]find.Source{{Place: find.Place{Profile: p}, Open: open}}, find.Options{Offers: true, ScanUnits: -1})
}

// For the start of an ID, the finder offers a query if the key allows one. For a word, it offers a scan.
func TestIDAndWordPrefixesAreOffered(t *testing.T) {
	for text, want := range map[string]struct {
		queries bool
		hits    int
	}{
		"01k9zq4b": {true, 1}, "01K9ZQ4B6M7N…": {true, 1}, "TEAM#01K9ZQ": {true, 2}, "01K9ZQ7": {true, 0},
		"jackets": {false, 1}, "red socks": {false, 1}, "smith": {false, 0},
	} {
		w, f := newClubFinder(t)
		r := search(t, f, text)
		if len(r.Hits) > 0 || len(r.Offers) != 1 || (r.Offers[0].Queries != nil) != want.queries || r.Offers[0].Estimate.Items != 2 {
			t.Errorf("%s: got %d hits, offers %+v", text, len(r.Hits), r.Offers)
			continue
		}
		w.Reset()
		s, err := f.Accept(t.Context(), text, r.Offers)
		if err != nil {
			t.Fatal(err)
		}
		if r = s.Wait(); len(r.Hits) != want.hits || r.HasUniqueHit() || slices.Contains(w.Operations(), "Scan") == want.queries {
			t.Errorf("%s: got %d hits with %v", text, len(r.Hits), w.Operations())
		}
	}
}

// The finder marks an expired item that still exists, and explains the format of an ID that it does not find.
func TestFindReportsExpiredAndAbsentItems(t *testing.T) {
	_, f := newClubFinder(t)
	s, err := f.Search(t.Context(), "TEAMS / TEAM#01K9ZQ4B6M7N8P9Q0R1S2T3V4W")
	if err != nil {
		t.Fatal(err)
	}
	if r := s.Wait(); len(r.Hits) != 1 || r.Hits[0].Card().Expired.IsZero() || !r.Hits[0].Card().Changed.IsZero() {
		t.Errorf("got %+v, want one hit with its expiry", r.Hits)
	}
	for text, want := range map[string]string{"01K9ZQ4B6M7N8P9Q0R1S2T3V4X": "Team ID", "01K9ZQ4B6M7N": "Team ID (its start)"} {
		if r := search(t, f, text); len(r.Understood) != 1 || r.Understood[0].Words() != want {
			t.Errorf("%s: Understood = %+v", text, r.Understood)
		}
	}
}

// If no key contains an address, an item may still contain it in another spelling, so the finder offers a scan.
func TestMissedAddressesAreNamedAndOffered(t *testing.T) {
	p, err := profiles.Load("crm.yaml", []byte(`
name: crm
tables: {crm: {partition_key: PK, indexes: {Mail: {partition_key: mail}}}}
entities:
  Person:
    table: crm
    keys: {PK: "PERSON#{id}", mail: "{email:lower}"}
    attributes: {id: {type: S, required: true}, email: {type: S, format: email}, phone: {type: S}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := fixture.NewOn(t, p, fixture.Connect(t, fixture.Database(t)))
	f.Create(t)
	f.Put(t, p.Tables[0], models.Item{
		"PK": models.StringValue("PERSON#1"), "id": models.StringValue("1"), "email": models.StringValue("Ana@Example.com"),
		"phone": models.StringValue("+49 170 1234567"),
	})
	finder := find.New([]find.Source{{Place: find.Place{Profile: p}, Open: func(context.Context) (*workspace.Workspace, error) {
		return f.Open(f.Options()), nil
	}}}, find.Options{Offers: true, ScanUnits: -1})
	for text, want := range map[string]string{"ANA@EXAMPLE.COM": "email address", "+491701234567": "phone number"} {
		r := search(t, finder, text)
		if len(r.Hits) > 0 || r.OnlyMeaning() != want || len(r.Offers) != 1 {
			t.Fatalf("%s: got %d hits, meaning %q, %d offers", text, len(r.Hits), r.OnlyMeaning(), len(r.Offers))
		}
		s, err := finder.Accept(t.Context(), text, r.Offers)
		if err != nil {
			t.Fatal(err)
		}
		if r = wait(s); len(r.Hits) != 1 {
			t.Errorf("%s: the scan found %d items, want 1", text, len(r.Hits))
		}
	}
	if r := search(t, finder, "0170 1234567"); !r.LacksCountryCode {
		t.Error("LacksCountryCode is false for a national number")
	}
}

func TestScansFindSetAndListElements(t *testing.T) {
	p, err := profiles.Load("club.yaml", []byte(`
name: club
tables: {club: {partition_key: id}}
entities:
  Team:
    table: club
    keys: {id: "TEAM#{teamId}"}
    attributes: {teamId: {type: S, required: true, prefix: t_}, members: {type: SS}, sizes: {type: NS}, history: {type: L, items: S}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := fixture.NewOn(t, p, fixture.Connect(t, fixture.Database(t)))
	f.Create(t)
	f.Put(t, p.Tables[0], models.Item{
		"id": models.StringValue("TEAM#t_1"), "teamId": models.StringValue("t_1"),
		"members": &types.AttributeValueMemberSS{Value: []string{"ana", "zoë"}},
		"sizes":   &types.AttributeValueMemberNS{Value: []string{"-1.5", "40"}},
		"history": &types.AttributeValueMemberL{Value: []types.AttributeValue{models.StringValue("founded 2020")}},
	})
	finder := find.New([]find.Source{{Place: find.Place{Profile: p}, Open: func(context.Context) (*workspace.Workspace, error) { return f.Open(f.Options()), nil }}}, find.Options{})
	for text, want := range map[string]int{"zoë": 1, "-1.50": 1, "founded 2020": 1, "zo": 0, "founded": 0} {
		if r := search(t, finder, text); len(r.Hits) != want {
			t.Errorf("%s: got %d hits, want %d", text, len(r.Hits), want)
		}
	}
}

// The finder suggests the correct ID for a typing error in a known ID, in a prefix, or in an ID in a small table. It
// never suggests personal data.
func TestTypingErrorsSuggestCorrections(t *testing.T) {
	w := newTestDatabase(t, "authbridge", "ebay-sniper", "tazco")
	request := w.sampleValue(t, "tazco", "CardRequest", "requestId")
	id := w.sampleValue(t, "authbridge", "Verification", "verificationId")
	email := w.sampleValue(t, "ebay-sniper", "User", "email")
	f := w.finder(find.Options{}, nil)
	for _, c := range []struct{ text, want string }{
		{"vre_" + strings.TrimPrefix(id, "ver_"), id},
		{"vre_1", ""}, // no item has the corrected ID
		{request[:len(request)-1] + "~", request},
		{email[:len(email)-1], ""},
	} {
		r := search(t, f, c.text)
		if got := strings.Join(r.Similar, " "); got != c.want || len(r.Hits) > 0 {
			t.Errorf("%s: got %q, want %q, and %d hits", c.text, got, c.want, len(r.Hits))
		}
	}
}

// The finder suggests the IDs of items that the user opened earlier or bookmarked, even if they no longer exist.
func TestKnownIDsAreSuggested(t *testing.T) {
	x := newTestDatabase(t, "authbridge").fixtures["authbridge"]
	console := x.Open(x.Options())
	key := func(id string) models.Item {
		return models.Item{"PK": models.StringValue("CASE#" + id), "SK": models.StringValue("META")}
	}
	console.History.RecordVisit(x.Profile.Tables[0], key("ver_0123abcd"))
	if err := console.Bookmarks.Add(t.Context(), bookmarks.Bookmark{Name: "b", Table: x.Profile.Tables[0], Key: key("ver_9876fedc")}); err != nil {
		t.Fatal(err)
	}
	f := find.New([]find.Source{{
		Place: find.Place{Profile: x.Profile}, Open: func(context.Context) (*workspace.Workspace, error) { return console, nil },
	}}, find.Options{})
	for text, want := range map[string]string{"ver_0123abce": "ver_0123abcd", "ver_987fedc": "ver_9876fedc"} {
		if r := search(t, f, text); len(r.Hits) > 0 || !slices.Equal(r.Similar, []string{want}) {
			t.Errorf("%s: got %v, want %s", text, r.Similar, want)
		}
	}
}

func TestTextsWithoutID(t *testing.T) {
	w := newTestDatabase(t, "authbridge")
	f := w.finder(find.Options{}, nil)
	for _, text := range []string{"", "  ", `{"a":`, "\xff", strings.Repeat("x", 1<<20)} {
		if _, err := f.Search(t.Context(), text); err == nil {
			t.Errorf("Search accepted %.10q", text)
		}
	}
	if w.opened > 0 {
		t.Error("the search connected to a schema for a text without an ID")
	}
}

func TestSearchesSendFewRequests(t *testing.T) {
	w := newTestDatabase(t, profiles.Names()...)
	id := w.sampleValue(t, "authbridge", "Verification", "verificationId")
	request := w.sampleValue(t, "tazco", "CardRequest", "requestId")
	t.Run("prefix of an ID or key sends no request", func(t *testing.T) {
		f := w.finder(find.Options{}, nil)
		for _, text := range []string{"ver_", "CASE#", "request_", "video_", "SITE#", "!!!", "--"} {
			if r := search(t, f, text); r.Requests > 0 || len(r.Hits) > 0 || !r.Done {
				t.Errorf("%q: sent %d requests, want none", text, r.Requests)
			}
		}
	})
	t.Run("ID with a declared prefix searches only the schema that declares it", func(t *testing.T) {
		before := w.opened
		if r := search(t, w.finder(find.Options{}, nil), id); !r.Hits[0].Identified || w.opened-before != 1 || r.Requests > 12 {
			t.Errorf("sent %d requests to %d schemas", r.Requests, w.opened-before)
		}
		before = w.opened
		if r := search(t, w.finder(find.Options{}, nil), "ver_nowhere"); len(r.Hits) > 0 || w.opened-before != 1 {
			t.Errorf("got %d hits in %d schemas, want none in 1", len(r.Hits), w.opened-before)
		}
		other := newTestDatabase(t, "tazco") // without its tables in the database, a schema does not interpret IDs
		other.fixtures["authbridge"] = fixture.NewOn(t, profileOf(t, "authbridge"), fixture.Connect(t, other.Recorder))
		if r := search(t, other.finder(find.Options{}, nil), "ver_nowhere"); len(r.Hits) > 0 || other.opened != 2 {
			t.Errorf("got %d hits in %d schemas, want none in 2", len(r.Hits), other.opened)
		}
	})
	t.Run("searches for any text are offered and need consent", func(t *testing.T) {
		f := w.finder(find.Options{Offers: true}, nil)
		word := w.sampleValue(t, "zentriqvision", "Organization", "name")
		r := search(t, f, word)
		if len(r.Hits) > 0 || r.Requests > 5 || len(r.OffersByKind()) != 2 {
			t.Fatalf("got %d hits, %d requests, %d kinds of offers", len(r.Hits), r.Requests, len(r.OffersByKind()))
		}
		for _, list := range r.OffersByKind() {
			if _, known := find.Total(list); known {
				t.Errorf("%v: the cost is known before %d tables are described", list[0].Kind, len(list))
			}
			if sum, known := find.Total(f.Price(t.Context(), list)); !known || sum.Items == 0 {
				t.Errorf("%v: got cost %+v", list[0].Kind, sum)
			}
		}
		s, err := f.Accept(t.Context(), word, r.Offers)
		if err != nil {
			t.Fatal(err)
		}
		if more := wait(s); more.Requests < len(r.Offers) || len(more.Hits) == 0 {
			t.Errorf("got %d hits with %d requests for %d offers", len(more.Hits), more.Requests, len(r.Offers))
		}
	})
	t.Run("no search exceeds its budget", func(t *testing.T) {
		for _, text := range []string{"hello world", "ana@example.com", "c223ec86-d827-4792-a0c6-c8a275941726", request} {
			for _, limit := range []int{1, 20} {
				w.Reset()
				search(t, w.finder(find.Options{Reads: limit}, nil), text)
				if sent := len(reads(w)); sent > limit {
					t.Errorf("%q: got %d reads, want at most %d", text, sent, limit)
				}
			}
		}
	})
}

// The finder connects only schemas whose keys can contain the text.
func TestOnlySchemasThatCanContainTextAreConnected(t *testing.T) {
	w := newTestDatabase(t, "authbridge", "tazco", "zentriqvision")
	r := search(t, w.finder(find.Options{}, nil), "CASE#ver_1 / META")
	if w.opened != 1 || r.Requests != 1 {
		t.Errorf("connected to %d schemas with %d requests, want 1 each", w.opened, r.Requests)
	}
}

// If the index lacks attributes, the finder reads the complete item.
func TestIndexRowsAreComplete(t *testing.T) {
	w := &testDatabase{Recorder: &fixture.Recorder{Doer: fixture.Database(t)}}
	f := fixture.NewAltered(t, "ebay-sniper", "users", func(m *models.Table) {
		m.Indexes[0].Projection = models.ProjectionKeysOnly
	}, nil)
	w.fixtures = map[string]*fixture.Fixture{"ebay-sniper": f}
	r := search(t, w.finder(find.Options{}, nil), w.sampleValue(t, "ebay-sniper", "User", "email"))
	if len(r.Hits) != 1 || r.Hits[0].Item["isActive"] == nil {
		t.Errorf("got %v, want a complete item", fmt.Sprint(r.Hits))
	}
}

func TestSearchEndsAtItsTimeLimit(t *testing.T) {
	w := newTestDatabase(t, "authbridge")
	f := w.finder(find.Options{Time: time.Nanosecond}, nil)
	if r := search(t, f, "ver_1"); !r.Incomplete {
		t.Error("a search without time is not marked as incomplete")
	}
}

// A scan for the start of an ID needs consent. It finds items whose IDs begin with the text, but does not open them.
func TestIDPrefixesAreFoundWithConsent(t *testing.T) {
	w := newTestDatabase(t, "authbridge")
	id := w.sampleValue(t, "authbridge", "Verification", "verificationId")
	f := w.finder(find.Options{Offers: true}, nil)
	w.Reset()
	r := search(t, f, id[:12])
	if len(r.Hits) > 0 || slices.Contains(w.Operations(), "Scan") || len(r.Offers) != 1 {
		t.Fatalf("got hits %v with %v, offers %v, want only an offer", r.Hits, w.Operations(), r.Offers)
	}
	s, err := f.Accept(t.Context(), id[:12], r.Offers)
	if err != nil {
		t.Fatal(err)
	}
	if r = wait(s); len(r.Hits) == 0 || !r.Hits[0].IsPrefixMatch || r.Hits[0].Identified || r.HasUniqueHit() {
		t.Errorf("the scan returned %v, want a prefix match", r.Hits)
	}
	for _, text := range []string{"case " + id[:12] + " is stuck since Tuesday", strings.ToUpper(id[len("ver_"):12])} {
		r := search(t, f, text)
		if s, err = f.Accept(t.Context(), text, r.Offers); err != nil {
			t.Fatal(err)
		}
		if r := wait(s); len(r.Hits) == 0 || !r.Hits[0].IsPrefixMatch || r.HasUniqueHit() {
			t.Errorf("%q: got %v, want a prefix match", text, r.Hits)
		}
	}
	if r := search(t, f, id); len(r.Offers) > 0 || !r.HasUniqueHit() {
		t.Errorf("got offers %v for a whole ID", r.Offers)
	}
}

// For an ID without an item, a scan with consent finds an ID with one wrong, missing, additional or swapped character.
// After that, the finder knows the ID.
func TestScanSuggestsSimilarIDs(t *testing.T) {
	w := newTestDatabase(t, "authbridge")
	id := w.sampleValue(t, "authbridge", "Verification", "verificationId")
	n := len(id) - 4
	for _, text := range []string{
		id[:n] + "~" + id[n+1:], id[:n] + id[n+1:], id[:n] + "~" + id[n:], id[:n] + id[n+1:n+2] + id[n:n+1] + id[n+2:],
		id[:n] + "00" + id[n+2:], // two errors
	} {
		f, want := w.finder(find.Options{Offers: true, Similar: true}, nil), []string{id}
		w.Reset()
		r := search(t, f, text)
		if len(r.Hits)+len(r.Similar) > 0 || len(r.Offers) != 1 || slices.Contains(w.Operations(), "Scan") || len(reads(w)) > 5 {
			t.Errorf("%s: got %d hits, %v and %v with %v, want only an offer", text, len(r.Hits), r.Similar, r.Offers, w.Operations())
			continue
		}
		s, err := f.Accept(t.Context(), text, r.Offers)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(text[n:], "00") {
			want = nil
		}
		if all := r.Merge(wait(s)); len(all.Hits) > 0 || !slices.Equal(all.Similar, want) {
			t.Errorf("%s: got %d hits and %v, want %v", text, len(all.Hits), all.Similar, want)
		}
		search(t, f, id)
		if r := search(t, f, text); !slices.Equal(r.Similar, want) {
			t.Errorf("%s: got %v after a search for %s, want %v", text, r.Similar, id, want)
		}
	}
}

// For a complete partition key and a truncated sort key, the finder offers one query.
func TestFindOffersTruncatedSortKey(t *testing.T) {
	w := newTestDatabase(t, "authbridge")
	id, document := w.sampleValue(t, "authbridge", "Document", "verificationId"), w.sampleValue(t, "authbridge", "Document", "documentId")
	text := "CASE#" + id + " / DOC#" + document[:12]
	f := w.finder(find.Options{Offers: true}, nil)
	r := search(t, f, text)
	if len(r.Hits) > 0 || len(r.Offers) != 1 || len(r.Offers[0].Queries) != 1 {
		t.Fatalf("got hits %v, offers %v, want only an offer", r.Hits, r.Offers)
	}
	s, err := f.Accept(t.Context(), text, r.Offers)
	if err != nil {
		t.Fatal(err)
	}
	if r = wait(s); len(r.Hits) == 0 || !r.Hits[0].IsPrefixMatch || r.Hits[0].Entity.Name != "Document" {
		t.Errorf("the query returned %v, want a document", r.Hits)
	}
}

// In a single schema, the finder estimates every scan that it offers, even after its words have used all reads.
func TestNamedSchemaOffersHavePrices(t *testing.T) {
	for schema, text := range map[string]string{"zentriqvision": "Harbour Logistics", "tazco": "ecosystem_3yrch", "form-bridge": "SITE#linden-out"} {
		w := newTestDatabase(t, schema)
		r := search(t, w.finder(find.Options{Offers: true, ScanUnits: -1}, nil), text)
		if len(r.Offers) == 0 || slices.ContainsFunc(r.Offers, func(o find.Offer) bool { return o.Kind == find.ScanOffer && !o.Priced }) {
			t.Errorf("%s: an offer has no price: %+v", text, r.Offers)
		}
	}
}

// A link to an item finds exactly this item, on every tab.
func TestLinksRoundTrip(t *testing.T) {
	w := newTestDatabase(t, profiles.Names()...)
	f := w.finder(find.Options{Offers: true}, nil)
	links := 0
	for _, name := range profiles.Names() {
		seen := map[*models.Entity]bool{}
		x := w.fixtures[name]
		v := x.Open(x.Options()).Session.Viewer
		for i, sample := range x.Samples(t) {
			section := link.Sections()[i%len(link.Sections())]
			l, err := link.ForItem(v, sample.Entity.Table, sample.Item, section)
			if seen[sample.Entity] || err != nil {
				continue // a link cannot contain personal data
			}
			seen[sample.Entity], links = true, links+1
			r := search(t, f, l.Command())
			if !r.HasUniqueHit() || len(r.Hits) != 1 || !models.EqualItems(r.Hits[0].Item, sample.Item) || r.Requests > 8 {
				t.Errorf("%s: got %d items with %d requests, want 1", l, len(r.Hits), r.Requests)
			}
		}
	}
	if links < 15 {
		t.Errorf("only %d samples have links, want at least 15", links)
	}
}

// An AWS console link names a table, so an item with the same key in another table is no match.
func TestConsoleLinksNameTheirTable(t *testing.T) {
	w := newTestDatabase(t, "authbridge")
	const console = "https://eu-west-1.console.aws.amazon.com/dynamodbv2/home#edit-item?itemMode=2&sk=META&pk=CASE%23"
	id := w.sampleValue(t, "authbridge", "Verification", "verificationId")
	f := w.finder(find.Options{}, nil)
	if r := search(t, f, console+id+"&table=AuthBridgeTable"); !r.HasUniqueHit() || len(r.Hits) != 1 || r.Elsewhere != nil {
		t.Errorf("got hits %v, elsewhere %v, want a unique hit", r.Hits, r.Elsewhere)
	}
	r := search(t, f, console+id+"&table=Other")
	if len(r.Hits) == 0 || r.HasUniqueHit() || r.Elsewhere == nil || r.Elsewhere.Table != "Other" || r.Elsewhere.Sort != "META" {
		t.Errorf("got hits %v, elsewhere %v, want another table", r.Hits, r.Elsewhere)
	}
}

// An order line is not its order. The finder names the missing parameter of the order, and offers a scan. A drafted
// schema has no prefixes, so that any text could be the number of a line; the hits show that the text is an order ID.
func TestPartialItemIsNotItem(t *testing.T) {
	const declared = `name: shop
tables: {main: {name: shop, partition_key: PK, sort_key: SK}}
entities:
  Order:
    table: main
    keys: {PK: "CUSTOMER#{customerId}", SK: "ORDER#{orderId}"}
    attributes: {customerId: {type: S, required: true, prefix: cus_}, orderId: {type: S, required: true, prefix: ord_}}
  OrderLine:
    table: main
    keys: {PK: "ORDER#{orderId}", SK: "LINE#{line}"}
    attributes: {orderId: {type: S, required: true, prefix: ord_}, line: {type: S, required: true}}
patterns:
  get-line: {title: Line, operation: get, table: main, key: {PK: "ORDER#{orderId}", SK: "LINE#{line}"}, returns: [OrderLine]}
  get-order: {title: Order, operation: get, table: main, key: {PK: "CUSTOMER#{customerId}", SK: "ORDER#{orderId}"}, returns: [Order]}
  lines: {title: Lines, operation: query, table: main, key: {PK: "ORDER#{orderId}"}, returns: [OrderLine]}
`
	drafted := strings.NewReplacer(", prefix: cus_", "", ", prefix: ord_", "").Replace(declared)
	for _, shop := range []string{declared, drafted} {
		p, err := profiles.Load("shop.yaml", []byte(shop), nil)
		if err != nil {
			t.Fatal(err)
		}
		w := &testDatabase{Recorder: &fixture.Recorder{Doer: fixture.Database(t)}}
		x := fixture.NewOn(t, p, fixture.Connect(t, w.Recorder))
		x.Create(t)
		x.Put(t, p.Tables[0], models.Item{
			"PK": models.StringValue("ORDER#ord_1000"), "SK": models.StringValue("LINE#000"),
			"orderId": models.StringValue("ord_1000"), "line": models.StringValue("000"),
		})
		f := find.New([]find.Source{{Place: find.Place{Profile: p}, Open: func(context.Context) (*workspace.Workspace, error) {
			return x.Open(x.Options()), nil
		}}}, find.Options{Offers: true, ScanUnits: -1})
		r := search(t, f, "ord_1000")
		if len(r.Hits) != 1 || r.Hits[0].Identified || r.HasUniqueHit() {
			t.Errorf("got %+v, want a line that does not open as the order", r.Hits)
		}
		if len(r.Missing) != 1 || r.Missing[0].Pattern.ID != "get-order" || len(r.Offers) != 1 {
			t.Errorf("got missing parameters %v, offers %v, want get-order", r.Missing, r.Offers)
		}
	}
}

// The item's own hit comes first, even if the read of its partition returns the item earlier.
func TestItemReadsComeBeforePartitionReads(t *testing.T) {
	w := newTestDatabase(t, "zentriqvision")
	org, video := w.sampleValue(t, "zentriqvision", "Video", "orgId"), w.sampleValue(t, "zentriqvision", "Video", "videoId")
	for range 10 {
		r := search(t, w.finder(find.Options{}, nil), "ORG#"+org+"  VIDEO#"+video)
		if sort, _ := r.Hits[0].Item.Text("SK"); len(r.Hits) < 2 || sort != "VIDEO#"+video {
			t.Fatalf("the first of %d hits is %s, want the video", len(r.Hits), sort)
		}
	}
}

// A search compares attributes nested in documents, and names masked ones that it may not compare.
func TestScansFindNestedAttributes(t *testing.T) {
	d := newTestDatabase(t, "authbridge")
	email := d.sampleValue(t, "authbridge", "Verification", "customerMetadata.email")
	external := d.sampleValue(t, "authbridge", "Verification", "customerMetadata.externalId")
	f := d.finder(find.Options{}, func(o *session.Options) { o.Role = session.Support })
	r := search(t, f, strings.ToUpper(email))
	if len(r.Hits) != 1 || r.Hits[0].Attribute != "customerMetadata.email" || r.Hits[0].Last == nil {
		t.Errorf("got %d items for a nested address, want 1 by it with its last event", len(r.Hits))
	}
	r = search(t, f, external)
	if want := []string{"Customer ID of Verification case"}; len(r.Hits) > 0 || !slices.Equal(r.Masked, want) {
		t.Errorf("got %d items and unsearched attributes %q, want none and %q", len(r.Hits), r.Masked, want)
	}
}

// The finder lists the newest items of a query that it read to the end, and reads a sort key that is a time from its
// end. Other queries keep their order.
func TestNewestItemsComeFirst(t *testing.T) {
	w := newTestDatabase(t, "authbridge", "tazco")
	for _, c := range []struct{ text, schema, entity, attribute, time string }{
		{"user_lorato", "authbridge", "AuditLog", "userId", "timestamp"},
		{"client_xyz789", "authbridge", "Verification", "clientId", "updatedAt"},
	} {
		var times []string
		for _, s := range w.fixtures[c.schema].Samples(t) {
			values := s.Entity.Values(s.Item)
			if v, _ := values(c.attribute); s.Entity.Name == c.entity && v == c.text {
				changed, _ := values(c.time)
				times = append(times, changed)
			}
		}
		slices.SortFunc(times, func(a, b string) int { return strings.Compare(b, a) })
		var got []string
		r := search(t, w.finder(find.Options{}, nil), c.text)
		for _, h := range r.Hits {
			if h.Entity.Name != c.entity {
				continue
			}
			changed, _ := h.Item.Text(c.time)
			if got = append(got, changed); !h.More || h.Total != 0 && h.Total != len(times) {
				t.Errorf("%s: got more %v and total %d, want true and %d", c.text, h.More, h.Total, len(times))
			}
		}
		if !slices.Equal(got, times[:10]) {
			t.Errorf("%s: got %v, want %v", c.text, got, times[:10])
		}
	}
}
