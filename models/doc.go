// Package models defines the types that the rest of ddbdesk uses: tables, entities, attributes, lifecycles, key
// templates, item recognition, exact values, masking, and text that is safe to show in a terminal or a spreadsheet.
//
// It describes data and sends no requests: queries and changes belong to accesspatterns, and reading schemas belongs
// to profiles. It does no I/O and imports no terminal framework and no AWS client, only the SDK's data types.
package models
