package embedded

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

// ineffectiveSettings contains table settings that the store keeps and describes but that have no effect.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_CreateTable.html
type ineffectiveSettings struct {
	SSESpecification   *encryption       `json:",omitempty"`
	OnDemandThroughput *onDemand         `json:",omitempty"`
	WarmThroughput     *warmedThroughput `json:",omitempty"`
}

// encryption configures encryption with a key of the account. Without it, DynamoDB encrypts with its own key and does
// not report it.
type encryption struct {
	Enabled        *bool
	SSEType        string `json:",omitempty"`
	KMSMasterKeyId string `json:",omitempty"` //nolint:revive // the service's spelling
}

type encryptionDescription struct {
	Status, SSEType string
	KMSMasterKeyArn string
}

// onDemand limits a table or an index with on-demand billing. -1 means no limit.
type onDemand struct {
	MaxReadRequestUnits  int64 `json:",omitempty"`
	MaxWriteRequestUnits int64 `json:",omitempty"`
}

type warmedThroughput struct {
	ReadUnitsPerSecond  int64  `json:",omitempty"`
	WriteUnitsPerSecond int64  `json:",omitempty"`
	Status              string `json:",omitempty"` // in descriptions
}

// change reports whether the request has settings. A request may set only one of the two units.
func (p *ineffectiveSettings) change(to ineffectiveSettings) bool {
	if to.SSESpecification != nil {
		p.SSESpecification = to.SSESpecification
	}
	if n, old := to.OnDemandThroughput, p.OnDemandThroughput; n != nil && old != nil {
		p.OnDemandThroughput = &onDemand{
			cmp.Or(n.MaxReadRequestUnits, old.MaxReadRequestUnits),
			cmp.Or(n.MaxWriteRequestUnits, old.MaxWriteRequestUnits),
		}
	} else if n != nil {
		p.OnDemandThroughput = n
	}
	if n, old := to.WarmThroughput, p.WarmThroughput; n != nil && old != nil {
		p.WarmThroughput = &warmedThroughput{
			ReadUnitsPerSecond:  cmp.Or(n.ReadUnitsPerSecond, old.ReadUnitsPerSecond),
			WriteUnitsPerSecond: cmp.Or(n.WriteUnitsPerSecond, old.WriteUnitsPerSecond),
		}
	} else if n != nil {
		p.WarmThroughput = n
	}
	return to != ineffectiveSettings{}
}

func (p *ineffectiveSettings) describe() (sse *encryptionDescription, demand *onDemand, warm *warmedThroughput) {
	if s := p.SSESpecification; s != nil && s.Enabled != nil && *s.Enabled {
		key := s.KMSMasterKeyId
		if key == "" {
			key = "alias/aws/dynamodb"
		}
		if !strings.HasPrefix(key, "arn:") {
			key = "arn:aws:kms:local:000000000000:" + key
		}
		sse = &encryptionDescription{"ENABLED", "KMS", key}
	}
	if w := p.WarmThroughput; w != nil {
		warm = &warmedThroughput{w.ReadUnitsPerSecond, w.WriteUnitsPerSecond, statusActive}
	}
	return sse, p.OnDemandThroughput, warm
}

// unsupported contains parameters that would change a table's behavior. The store rejects requests with them, because
// the table would otherwise only seem to have these features.
type unsupported struct {
	VectorIndexes, VectorIndexUpdates, ReplicaUpdates, GlobalTableWitnessUpdates []any
	ResourcePolicy, MultiRegionConsistency, GlobalTableSourceArn                 string
}

func (u unsupported) reject() error {
	v := reflect.ValueOf(u)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			return apierror.Invalid("%s is not supported by ddbdesk serve", v.Type().Field(i).Name)
		}
	}
	return nil
}
