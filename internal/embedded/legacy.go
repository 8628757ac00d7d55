// Parameters from before expressions existed. Ignoring them would drop a condition
// or a filter, so a request that uses one is refused.

package embedded

import (
	"encoding/json"
)

// legacyWrite are the conditional parameters of the single writes.
type legacyWrite struct {
	Expected            json.RawMessage
	ConditionalOperator json.RawMessage
	AttributeUpdates    json.RawMessage
}

func (l *legacyWrite) refuse() error {
	return refuseLegacy(
		legacy{"Expected", l.Expected, "ConditionExpression"},
		legacy{"ConditionalOperator", l.ConditionalOperator, "ConditionExpression"},
		legacy{"AttributeUpdates", l.AttributeUpdates, "UpdateExpression"},
	)
}

// legacyRead are the condition, filter and projection parameters of reads.
type legacyRead struct {
	AttributesToGet     json.RawMessage
	KeyConditions       json.RawMessage
	QueryFilter         json.RawMessage
	ScanFilter          json.RawMessage
	ConditionalOperator json.RawMessage
}

func (l *legacyRead) refuse() error {
	return refuseLegacy(
		legacy{"AttributesToGet", l.AttributesToGet, "ProjectionExpression"},
		legacy{"KeyConditions", l.KeyConditions, "KeyConditionExpression"},
		legacy{"QueryFilter", l.QueryFilter, "FilterExpression"},
		legacy{"ScanFilter", l.ScanFilter, "FilterExpression"},
		legacy{"ConditionalOperator", l.ConditionalOperator, "FilterExpression"},
	)
}

type legacy struct {
	parameter string
	content   json.RawMessage
	instead   string
}

func refuseLegacy(all ...legacy) error {
	for _, l := range all {
		if l.content != nil && string(l.content) != "null" {
			return invalid("The legacy parameter %s is not supported by the embedded store; use %s", l.parameter, l.instead)
		}
	}
	return nil
}
