package interchange

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/models"
)

// ignoredTableProperties lists the table properties that are irrelevant to schemas.
const ignoredTableProperties = "Arn StreamArn TableId ContributorInsightsSpecification DeletionProtectionEnabled " +
	"GlobalTableSettingsReplicationMode GlobalTableWitnesses ImportSourceSpecification KinesisStreamSpecification " +
	"OnDemandThroughput PointInTimeRecoverySpecification ProvisionedThroughput ReadProvisionedThroughputSettings " +
	"ReadOnDemandThroughputSettings ReplicaSpecification Replicas ResourcePolicy SSESpecification TableClass Tags " +
	"WarmThroughput WriteOnDemandThroughputSettings WriteProvisionedThroughputSettings MultiRegionConsistency"

// ignoredProperties lists, for each type, the properties that an import skips silently as irrelevant.
var ignoredProperties = map[reflect.Type]string{
	reflect.TypeFor[tableDescription](): ignoredTableProperties,
	reflect.TypeFor[describedTable](): ignoredTableProperties + " ArchivalSummary CreationDateTime GlobalTableVersion ItemCount LatestStreamArn " +
		"LatestStreamLabel RestoreSummary SSEDescription TableArn TableClassSummary TableSizeBytes TableStatus",
	reflect.TypeFor[indexDescription](): "IndexArn IndexSizeBytes IndexStatus ItemCount Backfilling " +
		"ContributorInsightsSpecification OnDemandThroughput ProvisionedThroughput WarmThroughput ReadProvisionedThroughputSettings " +
		"ReadOnDemandThroughputSettings WriteOnDemandThroughputSettings WriteProvisionedThroughputSettings",
	reflect.TypeFor[terraformTable](): "arn deletion_protection_enabled global_table_witness id import_table on_demand_throughput " +
		"point_in_time_recovery read_capacity region replica restore_date_time restore_source_name restore_source_table_arn " +
		"restore_to_latest_time server_side_encryption stream_arn stream_label table_class tags tags_all timeouts warm_throughput write_capacity",
	reflect.TypeFor[terraformIndex](): "on_demand_throughput read_capacity warm_throughput write_capacity",
	reflect.TypeFor[terraformGlobalIndex](): "arn id on_demand_throughput provisioned_throughput read_capacity region timeouts " +
		"warm_throughput write_capacity",
	reflect.TypeFor[workbenchTable]():   "ProvisionedCapacitySettings",
	reflect.TypeFor[workbenchFacet]():   "DataAccess",
	reflect.TypeFor[schemaFile]():       "_comment",
	reflect.TypeFor[schemaEntity]():     "pk_params sk_params",
	reflect.TypeFor[schemaParam]():      "default entity_type item_type",
	reflect.TypeFor[oneTableIndex]():    "description follow",
	reflect.TypeFor[oneTableParams]():   "hidden nulls separator",
	reflect.TypeFor[oneTableSchema]():   "version",
	reflect.TypeFor[oneTableField]():    "default hidden nulls",
	reflect.TypeFor[electroAttribute](): "default readOnly validate watch", // functions, and rules for writes
}

func isIgnored(t reflect.Type, name string) bool {
	return slices.Contains(strings.Fields(ignoredProperties[t]), name)
}

func (r *reader) decode(text []byte, into any) error {
	if err := decodeJSON(text, into); err != nil {
		return err
	}
	var parts any
	if err := decodeJSON(text, &parts); err != nil {
		return err
	}
	r.warnUnread("", parts, into)
	return nil
}

func (r *reader) warnUnread(place string, decoded, into any) {
	u := unreadParts{first: map[string]string{}, count: map[string]int{}}
	u.walk(place, decoded, reflect.TypeOf(into))
	for _, kind := range u.order {
		suffix := ""
		if n := u.count[kind]; n > 1 {
			suffix = " (and " + english.Plural(n-1, "similar field", "") + ")"
		}
		r.warnf("%s is not read%s", models.Printable(u.first[kind]), suffix)
	}
}

// unreadParts groups the parts that an import did not read by name and by the type of their parent.
type unreadParts struct {
	first map[string]string
	count map[string]int
	order []string
}

func (u *unreadParts) walk(place string, v any, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			if t.Kind() == reflect.Slice {
				u.walk(fmt.Sprintf("%s[%d]", place, i), x, t.Elem())
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := strings.TrimPrefix(place+"."+name, ".")
			if t.Kind() == reflect.Map {
				u.walk(at, v[name], t.Elem())
			}
			if t.Kind() != reflect.Struct {
				continue
			}
			if f, ok := field(t, name); ok {
				u.walk(at, v[name], f)
			} else if v[name] != nil && !isIgnored(t, name) {
				u.add(t.String()+"."+name, at)
			}
		}
	}
}

func (u *unreadParts) add(kind, place string) {
	if u.count[kind]++; u.count[kind] == 1 {
		u.order, u.first[kind] = append(u.order, kind), place
	}
}

func field(t reflect.Type, name string) (reflect.Type, bool) {
	for f := range t.Fields() {
		if f.Anonymous {
			if inner, ok := field(f.Type, name); ok {
				return inner, true
			}
		}
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		tag = cmp.Or(tag, f.Name)
		if f.IsExported() && strings.EqualFold(tag, name) {
			return f.Type, true
		}
	}
	return nil, false
}
