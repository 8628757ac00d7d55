package lint

import ap "github.com/ddbdesk/ddbdesk/accesspatterns"

var rules = []rule{
	// Requests that DynamoDB refuses.
	{
		name: "partition-key-missing", kind: ap.Impossible, rejected: true, check: eachRequest(partitionKeyMissing),
		words: []string{"partition key", "sort key alone"},
	},
	{
		name: "key-not-in-index", kind: ap.Impossible, rejected: true, check: eachRequest(keyNotInIndex),
		words: []string{"not the name of the key", "no key attribute"},
	},
	{name: "get-on-index", kind: ap.Impossible, rejected: true, check: eachRequest(getOnIndex), words: []string{"getitem"}},
	{
		name: "get-needs-whole-key", kind: ap.Impossible, rejected: true, check: eachRequest(getNeedsWholeKey),
		words: []string{"getitem", "whole key"},
	},
	{name: "filter-on-key", kind: ap.Impossible, rejected: true, check: eachRequest(filterOnKey), words: []string{"filter"}},

	// Requests that are accepted and find the wrong items.
	{name: "key-never-written", kind: ap.Wrong, check: eachRequest(keyNeverWritten), words: []string{
		"always returns nothing",
		"always empty",
	}},
	{name: "filter-undocumented-attribute", kind: ap.Impossible, check: eachRequest(filterUndocumented), words: []string{"filtered by"}},
	{name: "filter-misses-entity", kind: ap.Wrong, check: eachRequest(filterMissesEntity), words: []string{"filter drops"}},
	{name: "returns-others", kind: ap.Wrong, check: eachRequest(returnsOthers), words: []string{"returns both", "both come back"}},
	{name: "one-of-many-indexed", kind: ap.Wrong, check: eachRequest(oneOfManyIndexed), words: []string{"indexed under one"}},
	{name: "limit-before-filter", kind: ap.Wrong, check: eachRequest(limitBeforeFilter), words: []string{"limit", "stops after"}},
	{name: "page-token-with-filter", kind: ap.Wrong, check: eachRequest(pageTokenWithFilter), words: []string{"cursor"}},
	{name: "strict-bound", kind: ap.Wrong, check: eachRequest(strictBound), words: []string{"greater than"}},
	{name: "bound-on-composed-key", kind: ap.Wrong, check: eachRequest(boundOnComposedKey), words: []string{"<= now", "at most"}},
	{name: "partition-by-day", kind: ap.Wrong, check: eachRequest(partitionByDay), words: []string{"day's partition"}},
	{
		name: "prefix-without-delimiter", kind: ap.Latent, check: eachRequest(prefixWithoutDelimiter),
		words: []string{"separator", "delimiter"},
	},
	{name: "text-precision", kind: ap.Latent, check: eachRequest(textPrecision), words: []string{"precision"}},

	// Order, cost and what an index promises.
	{name: "unordered-result", kind: ap.Gap, info: true, check: eachRequest(unorderedResult), words: []string{
		"order in time",
		"time of upload", "in no order",
	}},
	{name: "time-order-rests-on-id", kind: ap.Latent, check: eachRequest(timeOrderRestsOnID), words: []string{"uuidv7"}},
	{name: "filter-reads-all", kind: ap.Cost, check: eachRequest(filterReadsAll), words: []string{"reading", "filter"}},
	{name: "full-scan", kind: ap.Cost, check: eachRequest(fullScan), words: []string{"scan", "whole table"}},
	{name: "optional-index-used", kind: ap.Gap, info: true, check: eachRequest(optionalIndexUsed), words: []string{"optional"}},
	{name: "index-not-unique", kind: ap.Gap, check: eachRequest(indexNotUnique), words: []string{"unique"}},

	// Keys of entities.
	{name: "indistinguishable-entities", kind: ap.Wrong, check: eachPair(indistinguishable), words: []string{"told apart"}},
	{name: "told-apart-by-attributes", kind: ap.Latent, check: eachPair(toldApartByAttributes), words: []string{"of one form"}},
	{name: "overlapping-keys", kind: ap.Latent, check: eachPair(overlappingKeys), words: []string{"overlap"}},
	{name: "prefix-with-two-meanings", kind: ap.Latent, check: inEachTable(prefixTwoMeanings), words: []string{"is followed by"}},
	{name: "key-not-unique", kind: ap.Integrity, check: eachEntity(keyNotUnique), words: []string{
		"nothing unique",
		"share a key", "same key",
	}},
	{name: "key-starts-with-value", kind: ap.Latent, check: eachEntity(keyStartsWithValue), words: []string{"begins with the"}},
	{name: "optional-in-key", kind: ap.Latent, check: eachEntity(optionalInKey), words: []string{"undefined"}},
	{name: "key-only-value", kind: ap.Gap, info: true, check: eachEntity(keyOnly), words: []string{"key alone"}},
	{name: "key-type-differs", kind: ap.Impossible, check: eachEntity(keyTypeDiffers), words: []string{"type"}},
	{name: "number-as-text", kind: ap.Latent, check: eachEntity(numberAsText), words: []string{"length"}},
	{name: "delimiter-in-value", kind: ap.Latent, check: eachEntity(delimiterInValue), words: []string{"ambiguous"}},

	// Indexes.
	{name: "index-not-written", kind: ap.Gap, check: eachIndex(indexNotWritten), words: []string{"nothing carries"}},
	{name: "projection-unknown", kind: ap.Gap, info: true, check: eachIndex(projectionUnknown), words: []string{"projection"}},
	{name: "index-same-partition", kind: ap.Latent, check: eachIndex(indexSamePartition), words: []string{"partition key"}},
	{name: "index-without-tenant", kind: ap.Security, check: eachEntityIndex(indexWithoutTenant), words: []string{"do not know"}},
	{name: "index-of-one-item", kind: ap.Latent, check: eachEntityIndex(indexOneItem), words: []string{"lists none"}},
	{name: "single-item-indexed", kind: ap.Latent, check: eachEntityIndex(singletonIndexed), words: []string{"one item"}},
	{name: "index-repeats-table", kind: ap.Cost, check: eachEntityIndex(indexRepeatsTable), words: []string{"repeat the keys"}},

	// Lifecycles and writes.
	{
		name: "state-in-index-key", kind: ap.Integrity, check: eachLifecycle(stateInIndexKey),
		words: []string{"index key", "holds the status"},
	},
	{name: "literal-state-key", kind: ap.Integrity, check: eachEntity(literalStateKey), words: []string{"fixed text"}},
	{name: "stale-index-key", kind: ap.Integrity, check: eachWrite(staleIndexKey), words: []string{"index key"}},
	{name: "update-without-condition", kind: ap.Integrity, check: eachWrite(unconditionalUpdate), words: []string{"no condition"}},
	{name: "batch-write", kind: ap.Integrity, check: eachWrite(batchWrite), words: []string{"batch"}},
	{name: "write-sets-unknown", kind: ap.Contradiction, check: eachWrite(writeSetsUnknown)},
	{
		name: "undocumented-transition", kind: ap.Gap, info: true, check: eachLifecycle(undocumentedTransitions),
		words: []string{"step", "transition"},
	},
	{name: "no-transitions", kind: ap.Gap, check: eachLifecycle(noTransitions), words: []string{"step", "transition"}},
	{name: "unreachable-state", kind: ap.Gap, check: eachLifecycle(unreachableState), words: []string{"no state", "lifecycle"}},
	{name: "state-without-exit", kind: ap.Gap, check: eachLifecycle(stateWithoutExit), words: []string{"for ever", "stays"}},

	// Changes.
	{name: "change-unnoticed", kind: ap.Integrity, info: true, check: eachAction(changeUnnoticed), words: []string{"lost update"}},
	{name: "change-without-audit", kind: ap.Gap, info: true, check: eachAction(changeWithoutAudit), words: []string{"audit entry"}},
	{name: "audit-value-outside-enum", kind: ap.Contradiction, check: eachAction(auditValueOutsideEnum)},
	{
		name: "state-set-without-transition", kind: ap.Integrity, check: eachAction(stateSetWithoutTransition),
		words: []string{"forbidden step"},
	},
	{name: "state-never-entered", kind: ap.Gap, info: true, check: eachLifecycle(stateNeverEntered), words: []string{"no action"}},

	// Expiry.
	{name: "ttl-name-differs", kind: ap.Contradiction, check: eachTable(ttlNameDiffers), words: []string{"ttl"}},
	{name: "ttl-missing", kind: ap.Gap, check: eachEntity(ttlMissing), words: []string{"ttl"}},
	{name: "ttl-not-seconds", kind: ap.Wrong, check: eachEntity(ttlNotEpoch), words: []string{"milliseconds"}},
	{name: "expiry-beside-ttl", kind: ap.Gap, check: eachEntity(expiryNotTTL), words: []string{"two times of expiry"}},
	{name: "expired-still-read", kind: ap.Wrong, info: true, check: eachTable(expiredStillRead), words: []string{"stays readable"}},

	// Attributes.
	{name: "enum-differs", kind: ap.Latent, check: inEachTable(enumDiffers), words: []string{"different values"}},
	{name: "format-differs", kind: ap.Contradiction, check: inEachTable(formatDiffers), words: []string{"epoch", "spelled"}},
	{name: "two-spellings", kind: ap.Latent, check: eachEntity(twoSpellings), words: []string{"write a time"}},
	{name: "reserved-words", kind: ap.Gap, info: true, check: reservedNames, words: []string{"reserved"}},
}
