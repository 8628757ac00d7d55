package embedded

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// indexUpdate creates, changes or deletes one global index: exactly one member is set.
type indexUpdate struct {
	Create *indexSpec
	Update *struct {
		IndexName             string
		ProvisionedThroughput *throughput
		OnDemandThroughput    *onDemand
		WarmThroughput        *warmedThroughput
	}
	Delete *struct{ IndexName string }
}

// updateTableInput is the request to change settings and to create or delete one global index.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTable.html
type updateTableInput struct {
	tableInput
	AttributeDefinitions        []attributeDefinition
	BillingMode                 string
	ProvisionedThroughput       *throughput
	GlobalSecondaryIndexUpdates []indexUpdate
	StreamSpecification         *streamSpec
	TableClass                  string
	DeletionProtectionEnabled   *bool
	ineffectiveSettings
	unsupported
}

func (in *updateTableInput) check(c *checks) {
	in.tableInput.check(c)
	c.oneOf(in.BillingMode, "billingMode", billProvisioned, billOnDemand)
	c.oneOf(in.TableClass, "tableClass", "STANDARD", "STANDARD_INFREQUENT_ACCESS")
	c.attributeDefinitions(in.AttributeDefinitions)
	c.refuse(in.reject())
	for i, u := range in.GlobalSecondaryIndexUpdates {
		if u.Create != nil {
			u.Create.check(c, fmt.Sprintf("globalSecondaryIndexUpdates.%d.member.create.", i+1), 2*maxKeyParts)
		}
		if u.Update != nil && u.Update.ProvisionedThroughput != nil {
			u.Update.ProvisionedThroughput.check(c, fmt.Sprintf("globalSecondaryIndexUpdates.%d.member.update.", i+1))
		}
		c.refuse(u.check())
	}
}

func (in *updateTableInput) run(_ context.Context, s *Store) (any, error) {
	old, err := s.namedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	builds := 0
	for _, u := range in.GlobalSecondaryIndexUpdates {
		if u.Create != nil || u.Delete != nil {
			builds++
		}
	}
	if builds > 1 {
		return nil, apierror.Refused(
			"LimitExceededException",
			"Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
		)
	}
	tb := old.copy()
	if err := in.settings(s, tb); err != nil {
		return nil, err
	}
	err = s.alterTable(tb.Name, func(t *tx) (*table, error) {
		if err := in.switchStream(t, tb, s.now()); err != nil {
			return nil, err
		}
		for _, u := range in.GlobalSecondaryIndexUpdates {
			if err := u.apply(t, tb); err != nil {
				return nil, err
			}
		}
		tb.dropUnusedDefinitions()
		if err := tb.checkDefinitions(); err != nil {
			return nil, err
		}
		return tb, t.saveTable(tb)
	})
	if err != nil {
		return nil, err
	}
	d, err := s.describe(tb)
	return &tableOutput{TableDescription: d}, err
}

func (tb *table) copy() *table {
	c := *tb
	c.Attributes = slices.Clone(tb.Attributes)
	c.Indexes = make([]*index, len(tb.Indexes))
	for i, ix := range tb.Indexes {
		copied := *ix
		c.Indexes[i] = &copied
	}
	return &c
}

func (in *updateTableInput) settings(s *Store, tb *table) error {
	if !tb.Passive.change(in.ineffectiveSettings) && in.BillingMode == "" && in.ProvisionedThroughput == nil &&
		in.DeletionProtectionEnabled == nil &&
		in.TableClass == "" && in.StreamSpecification == nil && len(in.GlobalSecondaryIndexUpdates) == 0 {
		return apierror.Invalid("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, " +
			"GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required")
	}
	var err error
	if in.BillingMode != "" || in.ProvisionedThroughput != nil {
		before := tb.Billing
		current := tb.Throughput
		if tb.Billing, tb.Throughput, err = billing(cmp.Or(in.BillingMode, tb.Billing), in.ProvisionedThroughput); err != nil {
			return err
		}
		switch {
		case before != tb.Billing:
			tb.BilledFrom = s.now()
		case tb.Billing == billProvisioned && tb.Throughput == current:
			return current.unchangedError("table", "")
		}
	}
	if in.DeletionProtectionEnabled != nil {
		tb.Protected = *in.DeletionProtectionEnabled
	}
	tb.Class = cmp.Or(in.TableClass, tb.Class)
	if in.StreamSpecification != nil {
		wasEnabled := tb.Stream != nil
		if tb.Stream, err = in.StreamSpecification.normalize(); err != nil {
			return err
		}
		switch {
		case wasEnabled && tb.Stream != nil:
			return apierror.Invalid("Table already has an enabled stream: TableName: %s", tb.Name)
		case !wasEnabled && tb.Stream == nil:
			return apierror.Invalid("Table has no stream to disable: TableName: %s", tb.Name)
		}
	}
	return tb.define(in.AttributeDefinitions)
}

func (in *updateTableInput) switchStream(t *tx, tb *table, now time.Time) error {
	switch {
	case in.StreamSpecification == nil:
		return nil
	case tb.Stream != nil:
		return t.openStream(tb, now)
	}
	return t.closeStream(tb, now)
}

func (tb *table) define(definitions []attributeDefinition) error {
	for _, d := range definitions {
		at := slices.IndexFunc(tb.Attributes, func(known attributeDefinition) bool { return known.AttributeName == d.AttributeName })
		switch {
		case at < 0:
			tb.Attributes = append(tb.Attributes, d)
		case tb.Attributes[at] != d:
			return apierror.InvalidParameter("Attributes cannot be redefined. Please check that your attribute has the same type as "+
				"previously defined. "+
				"Existing schema: Schema:[%s] New schema: Schema:[%s]", tb.Attributes[at].AttributeName, d.AttributeName)
		}
	}
	return nil
}

func (u *indexUpdate) check() error {
	operations := 0
	for _, isSet := range []bool{u.Create != nil, u.Update != nil, u.Delete != nil} {
		if isSet {
			operations++
		}
	}
	if operations > 1 {
		return apierror.InvalidParameter("Only one of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, " +
			"GlobalSecondaryIndexUpdate.Delete may not be null")
	}
	return nil
}

func (u *indexUpdate) apply(t *tx, tb *table) error {
	switch {
	case u.Create != nil:
		return tb.createIndex(t, u.Create)
	case u.Delete != nil:
		ix, err := tb.globalIndex(u.Delete.IndexName)
		if err != nil {
			return err
		}
		tb.Indexes = slices.DeleteFunc(tb.Indexes, func(other *index) bool { return other == ix })
		return t.dropIndex(tb, ix)
	case u.Update != nil:
		ix, err := tb.globalIndex(u.Update.IndexName)
		if err != nil {
			return err
		}
		ix.Passive.change(ineffectiveSettings{OnDemandThroughput: u.Update.OnDemandThroughput, WarmThroughput: u.Update.WarmThroughput})
		if u.Update.ProvisionedThroughput == nil {
			return nil
		}
		if *u.Update.ProvisionedThroughput == ix.Throughput {
			return ix.Throughput.unchangedError("index", " "+ix.Name)
		}
		ix.Throughput = *u.Update.ProvisionedThroughput
		return nil
	}
	return apierror.InvalidParameter("One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, " +
		"GlobalSecondaryIndexUpdate.Delete must not be null")
}

func (tb *table) globalIndex(name string) (*index, error) {
	if ix := tb.index(name); ix != nil && ix.Global {
		return ix, nil
	}
	return nil, apierror.TableMissing()
}

// createIndex omits items whose attribute does not have the type of the index key, as DynamoDB does.
func (tb *table) createIndex(t *tx, spec *indexSpec) error {
	if tb.index(spec.IndexName) != nil {
		return apierror.Invalid("Attempting to create an index which already exists")
	}
	if err := tb.addIndex(spec, true); err != nil {
		return err
	}
	if err := t.saveTable(tb.prepare()); err != nil {
		return err
	}
	return t.fillIndex(tb, tb.index(spec.IndexName))
}

func (tb *table) dropUnusedDefinitions() {
	used := tb.allKeys()
	tb.Attributes = slices.DeleteFunc(tb.Attributes, func(d attributeDefinition) bool {
		return !slices.ContainsFunc(used, func(k attribute.Key) bool { return k.Name == d.AttributeName })
	})
}
