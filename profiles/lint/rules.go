package lint

import (
	ap "github.com/ddbdesk/ddbdesk/accesspatterns"
)

// rules lists every rule, grouped by subject.
var rules = []rule{
	// These rules find requests that DynamoDB rejects.
	{name: "partition-key-missing", kind: ap.Impossible, rejected: true, check: eachRequest(partitionKeyMissing)},
	{name: "key-not-in-index", kind: ap.Impossible, rejected: true, check: eachRequest(keyNotInIndex)},
	{name: "sort-key-skipped", kind: ap.Impossible, rejected: true, check: eachRequest(sortKeySkipped)},
	{name: "prefix-of-number", kind: ap.Impossible, rejected: true, check: eachRequest(prefixOfNumber)},
	{name: "get-on-index", kind: ap.Impossible, rejected: true, check: eachRequest(getOnIndex)},
	{name: "get-needs-whole-key", kind: ap.Impossible, rejected: true, check: eachRequest(getNeedsWholeKey)},
	{name: "filter-on-key", kind: ap.Impossible, rejected: true, check: eachRequest(filterOnKey)},

	// These rules find requests that DynamoDB accepts but that find the wrong items.
	{name: "key-never-written", kind: ap.Wrong, check: eachRequest(keyNeverWritten)},
	{name: "filter-undocumented-attribute", kind: ap.Impossible, check: eachRequest(filterUndocumented)},
	{name: "filter-misses-entity", kind: ap.Wrong, check: eachRequest(filterMissesEntity)},
	{name: "returns-others", kind: ap.Wrong, check: eachRequest(returnsOthers)},
	{name: "one-of-many-indexed", kind: ap.Wrong, check: eachRequest(oneOfManyIndexed)},
	{name: "limit-before-filter", kind: ap.Wrong, check: eachRequest(limitBeforeFilter)},
	{name: "page-token-with-filter", kind: ap.Wrong, check: eachRequest(pageTokenWithFilter)},
	{name: "shard-differs", kind: ap.Wrong, check: eachRequest(shardDiffers)},
	{name: "strict-bound", kind: ap.Wrong, check: eachRequest(strictBound)},
	{name: "bound-on-composed-key", kind: ap.Wrong, check: eachRequest(boundOnComposedKey)},
	{name: "partition-by-day", kind: ap.Wrong, check: eachRequest(partitionByDay)},
	{name: "unused-parameter", kind: ap.Gap, check: eachRequest(unusedParameter)},
	{name: "prefix-without-delimiter", kind: ap.Latent, check: eachRequest(prefixWithoutDelimiter)},
	{name: "text-precision", kind: ap.Latent, check: eachRequest(textPrecision)},

	// These rules concern masked values.
	{name: "masked-parameter", kind: ap.Security, check: eachRequest(maskedParameter)},
	{name: "copy-not-declared", kind: ap.Security, check: eachEntity(copyNotDeclared)},
	{name: "masked-condition", kind: ap.Security, check: eachAction(maskedCondition)},
	{name: "secret-copied", kind: ap.Security, check: eachEntity(secretCopied)},

	// These rules concern order, cost and index contents.
	{name: "unordered-result", kind: ap.Gap, info: true, check: eachRequest(unorderedResult)},
	{name: "time-order-rests-on-id", kind: ap.Latent, check: eachRequest(timeOrderRestsOnID)},
	{name: "filter-reads-all", kind: ap.Cost, check: eachRequest(filterReadsAll)},
	{name: "full-scan", kind: ap.Cost, check: eachRequest(fullScan)},
	{name: "optional-index-used", kind: ap.Gap, info: true, check: eachRequest(optionalIndexUsed)},
	{name: "index-not-unique", kind: ap.Gap, check: eachRequest(indexNotUnique)},

	// These rules concern the keys of entities.
	{name: "indistinguishable-entities", kind: ap.Wrong, check: eachPair(indistinguishable)},
	{name: "told-apart-by-attributes", kind: ap.Latent, check: eachPair(distinguishedByAttributes)},
	{name: "overlapping-keys", kind: ap.Latent, check: eachPair(overlappingKeys)},
	{name: "prefix-with-two-meanings", kind: ap.Latent, check: inEachTable(prefixTwoMeanings)},
	{name: "key-not-unique", kind: ap.Integrity, check: eachEntity(keyNotUnique)},
	{name: "key-starts-with-value", kind: ap.Latent, check: eachEntity(keyStartsWithValue)},
	{name: "optional-in-key", kind: ap.Latent, check: eachEntity(optionalInKey)},
	{name: "key-only-value", kind: ap.Gap, info: true, check: eachEntity(keyOnly)},
	{name: "key-type-differs", kind: ap.Impossible, check: eachEntity(keyTypeDiffers)},
	{name: "number-as-text", kind: ap.Latent, check: eachEntity(numberAsText)},
	{name: "time-does-not-sort", kind: ap.Latent, check: eachEntity(timeDoesNotSort)},
	{name: "delimiter-in-value", kind: ap.Latent, check: eachEntity(delimiterInValue)},
	{name: "circular-parent", kind: ap.Contradiction, check: eachEntity(circularParent)},

	// These rules concern indexes.
	{name: "name-refused", kind: ap.Impossible, rejected: true, check: eachTable(nameRefused)},
	{name: "index-not-written", kind: ap.Gap, check: eachIndex(indexNotWritten)},
	{name: "projection-unknown", kind: ap.Gap, info: true, check: eachIndex(projectionUnknown)},
	{name: "index-same-partition", kind: ap.Latent, check: eachIndex(indexSamePartition)},
	{name: "index-without-tenant", kind: ap.Security, check: eachEntityIndex(indexWithoutTenant)},
	{name: "index-of-one-item", kind: ap.Latent, check: eachEntityIndex(indexOneItem)},
	{name: "single-item-indexed", kind: ap.Latent, check: eachEntityIndex(singletonIndexed)},
	{name: "index-repeats-table", kind: ap.Cost, check: eachEntityIndex(indexRepeatsTable)},

	// These rules concern lifecycles and writes.
	{name: "state-in-index-key", kind: ap.Integrity, info: true, check: eachLifecycle(stateInIndexKey)},
	{name: "literal-state-key", kind: ap.Integrity, check: eachEntity(literalStateKey)},
	{name: "stale-index-key", kind: ap.Integrity, check: eachWrite(staleIndexKey)},
	{name: "update-without-condition", kind: ap.Integrity, check: eachWrite(unconditionalUpdate)},
	{name: "batch-write", kind: ap.Integrity, check: eachWrite(batchWrite)},
	{name: "write-sets-unknown", kind: ap.Contradiction, check: eachWrite(writeSetsUnknown)},
	{name: "undocumented-transition", kind: ap.Gap, info: true, check: eachLifecycle(undocumentedTransitions)},
	{name: "no-transitions", kind: ap.Gap, check: eachLifecycle(noTransitions)},
	{name: "unreachable-state", kind: ap.Gap, check: eachLifecycle(unreachableState)},
	{name: "state-without-exit", kind: ap.Gap, check: eachLifecycle(stateWithoutExit)},

	// These rules concern changes.
	{name: "change-unnoticed", kind: ap.Integrity, info: true, check: eachAction(changeUnnoticed)},
	{name: "change-without-audit", kind: ap.Gap, info: true, check: eachAction(changeWithoutAudit)},
	{name: "audit-value-outside-enum", kind: ap.Contradiction, check: eachAction(auditValueOutsideEnum)},
	{name: "state-set-without-transition", kind: ap.Integrity, check: eachAction(stateSetWithoutTransition)},
	{name: "key-not-moved", kind: ap.Integrity, check: eachAction(keyNotMoved)},
	{name: "number-not-unique", kind: ap.Integrity, check: eachAction(numberNotUnique)},
	{name: "number-without-bounds", kind: ap.Integrity, check: eachAction(numberWithoutBounds)},
	{name: "state-never-entered", kind: ap.Gap, info: true, check: eachLifecycle(stateNeverEntered)},

	// These rules concern expiry.
	{name: "ttl-name-differs", kind: ap.Contradiction, check: eachTable(ttlNameDiffers)},
	{name: "ttl-missing", kind: ap.Gap, info: true, check: eachEntity(ttlMissing)},
	{name: "ttl-not-seconds", kind: ap.Wrong, check: eachEntity(ttlNotEpoch)},
	{name: "expiry-beside-ttl", kind: ap.Gap, check: eachEntity(expiryNotTTL)},
	{name: "expired-still-read", kind: ap.Wrong, info: true, check: eachTable(expiredStillRead)},

	// These rules concern attributes.
	{name: "enum-differs", kind: ap.Latent, check: inEachTable(enumDiffers)},
	{name: "format-differs", kind: ap.Contradiction, check: inEachTable(formatDiffers)},
	{name: "two-spellings", kind: ap.Latent, check: eachEntity(twoSpellings)},
	{name: "reserved-words", kind: ap.Gap, info: true, check: reservedNames},

	// These rules concern guardrails.
	{name: "production-unnamed", kind: ap.Gap, info: true, check: productionUnnamed},

	// These rules concern declared findings.
	{name: "unknown-rule", kind: ap.Contradiction, check: eachFinding(unknownRule)},
}

// productionUnnamed finds schemas that protect production only by the names of contexts.
func productionUnnamed(l *linter, found func(defect)) {
	if !l.NamesNoProduction() {
		return
	}
	defect{path: "guardrails"}.reporter(found)("production", "list the names or account numbers of production",
		"no name in the schema identifies production, so only the name of a context or an AWS profile does")
}
