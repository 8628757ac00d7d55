package draft

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Digests, shards and times in another form than the attribute's are found by computing them.
func TestComputedPartsAreFound(t *testing.T) {
	for _, template := range []string{
		"ALL#{number:mod 8}", "ALL#{id:crc32 mod 10}", "ALL#{id:java mod 16 02d}", "ALL#{id:fnv1a mod 4 + 1}", "MAIL#{id:sha256}",
		"AT#{at:iso8601}", "AT#{at:month}#{id}",
	} {
		made := models.MustTemplate(template)
		var items []models.Item
		for i := range 60 {
			id := fmt.Sprintf("o%dx", i*i+7)
			at := strconv.FormatInt(time.Date(2026, 1, 2, i, 0, i, 0, time.UTC).Unix(), 10)
			key, err := made.Format(models.MapValues(map[string]string{"id": id, "number": strconv.Itoa(i * 13), "at": iso(at)}))
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, item(
				"PK", "ORDER#"+id, "SK", "META", "GSI1PK", key, "GSI1SK", id, "id", id, "number", strconv.Itoa(i*13), "at", at,
			))
		}
		var p Profile
		Infer(&p, Sample{Table: single(), Items: items}, InferOptions{})
		if got := keys(&p); got != "Order.PK=ORDER#{id} Order.SK=META Order.GSI1PK="+template+" Order.GSI1SK={id}" {
			t.Errorf("%s is drafted as %s", template, got)
		}
	}
}

// A drafted list of a sharded partition reads all shards: who lists items knows no value to choose one by.
func TestListsReadAllShards(t *testing.T) {
	for key, fans := range map[string]bool{
		"ALL#{id:crc32 mod 4}": true, "SHOP#{shop}#{id:crc32 mod 4}": true, "SHOP#{shop}#{shop:crc32 mod 4}": false, "SHOP#{shop}": false,
	} {
		made := models.MustTemplate(key)
		var items []models.Item
		for i := range 60 {
			id, shop := fmt.Sprintf("o%dx", i*i+7), fmt.Sprintf("s%dy", i%20*7)
			pk, err := made.Format(models.MapValues(map[string]string{"id": id, "shop": shop}))
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, item("PK", "ORDER#"+id, "SK", "META", "GSI1PK", pk, "GSI1SK", id, "id", id, "shop", shop))
		}
		p := Profile{Name: "shards"}
		Infer(&p, Sample{Table: single(), Items: items}, InferOptions{})
		InferPatterns(&p, p.Tables[0])
		read, err := profiles.Load("shards.yaml", p.Text(), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text())
		}
		q := read.Pattern("list-orders-gsi-1")
		if q == nil {
			t.Fatalf("%s has no list\n%s", key, p.Text())
		}
		if id := q.Param("id"); (q.Read.FanOut != nil) != fans || id != nil && id.Required {
			t.Errorf("%s: fan-out %v\n%s", key, q.Read.FanOut, p.Text())
		}
	}
}

// iso returns epoch seconds as ISO 8601.
func iso(seconds string) string {
	n, _ := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(n, 0).UTC().Format(time.RFC3339)
}

// Numbers that nothing computes are not taken for shards.
func TestChanceIsNoShard(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var items []models.Item
		for i := range 4 + rng.IntN(60) {
			id := fmt.Sprintf("o%d", i)
			items = append(items, item(
				"PK", "ORDER#"+id, "SK", "META", "GSI1PK", fmt.Sprintf("ALL#%d", rng.IntN(2+rng.IntN(9))), "GSI1SK", id, "id", id,
				"a", strconv.Itoa(rng.IntN(1000)), "b", strconv.Itoa(rng.IntN(9)), "c", strconv.Itoa(i),
			))
		}
		var p Profile
		Infer(&p, Sample{Table: single(), Items: items}, InferOptions{})
		for _, k := range p.Entities[0].Keys {
			for _, s := range models.MustTemplate(k.Template).Segments() {
				if s.Computed() {
					t.Errorf("seed %d: %s is drafted as %s", seed, k.Attribute, k.Template)
				}
			}
		}
	}
}
