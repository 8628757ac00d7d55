// Package models is ddbdesk's vocabulary: key templates and the formats inside
// them, attributes, entities, tables, lifecycles, the recognition of an item,
// exact values and text that is safe for a terminal. It is pure: no I/O, no
// terminal library, no AWS client (only the SDK's data types).
package models
