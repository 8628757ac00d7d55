// Package models is the vocabulary that the rest of ddbdesk is written in:
// tables, entities, attributes, lifecycles, key templates, the recognition of
// an item, exact values, masking, and text that is safe to show in a terminal
// or a spreadsheet.
//
// It describes data and decides nothing about requests: queries and changes
// belong to accesspatterns, reading profiles to profiles. It does no I/O and
// imports no terminal framework and no AWS client, only the SDK's data types.
package models
