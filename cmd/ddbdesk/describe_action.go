// This file describes the actions of a profile for `schema show`.

package main

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type actionJSON struct {
	Name        string                    `json:"name"`
	Title       string                    `json:"title"`
	Description string                    `json:"description,omitempty"`
	Kind        accesspatterns.ActionKind `json:"kind"`
	Entity      string                    `json:"entity"`
	Roles       []session.Role            `json:"roles"`
	Enabled     bool                      `json:"enabled"`
	Off         *string                   `json:"off"` // why it is not enabled
	Transition  *moveJSON                 `json:"transition"`
	Inputs      []inputJSON               `json:"inputs"`
	FourEyes    bool                      `json:"fourEyes"`
	Documented  bool                      `json:"documented"`
	Reason      accesspatterns.ReasonRule `json:"reason"`
	Undo        bool                      `json:"undo"`
	NoUndo      *string                   `json:"noUndo"` // why it cannot be undone
	Manual      []string                  `json:"manual"`
	Source      []string                  `json:"source"`
	Findings    []string                  `json:"findings"`
}

// moveJSON is the move that an action makes. Where an input names the state to
// go to, to is null and its enum lists the states.
type moveJSON struct {
	Lifecycle string   `json:"lifecycle"`
	From      []string `json:"from"`
	To        *string  `json:"to"`
	Input     *string  `json:"input"`
}

type inputJSON struct {
	paramJSON
	Description string `json:"description,omitempty"`
}

func describeActions(p *profiles.Profile) []actionJSON {
	out := []actionJSON{}
	for _, a := range p.Actions {
		out = append(out, describeAction(a))
	}
	return out
}

func describeAction(a *accesspatterns.Action) actionJSON {
	out := actionJSON{
		Name: a.ID, Title: a.Title, Description: strings.TrimSpace(a.Description), Kind: a.Kind, Entity: a.Entity.Name,
		Roles: []session.Role{session.Admin}, Enabled: a.Off == "", Off: optional(a.Off), Inputs: []inputJSON{}, FourEyes: a.FourEyes,
		Documented: a.Documented, Reason: a.Reason, Undo: a.NoUndo == "", NoUndo: optional(a.NoUndo), Manual: orEmpty(a.Manual),
		Source: orEmpty(a.Source), Findings: []string{},
	}
	if a.Lifecycle != nil {
		out.Transition = &moveJSON{a.Lifecycle.Name, orEmpty(a.From()), optional(a.To()), optional(a.Target)}
	}
	for _, in := range a.Inputs {
		param := paramJSON{Name: in.Name, Type: in.Type, Required: in.Required, Default: optional(in.Default), Enum: in.Enum}
		if f, ok := a.Defaults[in.Name]; ok {
			param.Default = optional(f.String())
		}
		out.Inputs = append(out.Inputs, inputJSON{param, strings.TrimSpace(in.Description)})
	}
	for _, f := range a.Findings {
		out.Findings = append(out.Findings, f.ID)
	}
	return out
}

func actionTable(p *profiles.Profile) *export.TextTable {
	t := export.NewTextTable("ACTION", "TITLE", "ENTITY", "CHANGE", "INPUTS", "NOTE", "FINDINGS")
	for _, a := range describeActions(p) {
		var inputs, notes []string
		for _, in := range a.Inputs {
			name := in.Name
			if !in.Required {
				name = "[" + name + "]"
			}
			inputs = append(inputs, name)
		}
		change := string(a.Kind)
		if m := a.Transition; m != nil {
			to := "…"
			if m.To != nil {
				to = *m.To
			}
			change = strings.Join(m.From, ", ") + " → " + to
		}
		if a.Reason == accesspatterns.ReasonRequired {
			notes = append(notes, "needs a reason")
		}
		if a.FourEyes {
			notes = append(notes, "two people")
		}
		if !a.Enabled {
			notes = slices.Insert(notes, 0, "off")
		}
		if !a.Undo {
			notes = append(notes, "no undo")
		}
		t.Add(a.Name, a.Title, a.Entity, change, strings.Join(inputs, " "), strings.Join(notes, ", "), strings.Join(a.Findings, " "))
	}
	return t
}
