package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/link"
)

// openCommand returns `ddbdesk open`.
func openCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "open LINK", Short: "Open the console at a link",
		Long: "Opens the console on the item or the query of a link, as y l copies it:\n" +
			"SCHEMA/ENTITY?name=value#SECTION or SCHEMA/PATTERN?name=value. The connection and the role are those of the flags.",
		Args: exactly("LINK"), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error { return a.openLink(cmd.Context(), args[0]) },
	}
	a.registerTheme(cmd)
	return cmd
}

// openLink starts the console at the place of a link.
func (a *app) openLink(ctx context.Context, text string) error {
	l, err := link.Parse(text)
	if err != nil {
		return err
	}
	p, err := a.schema(l.Schema)
	if err != nil {
		return err
	}
	if _, err := l.In(p); err != nil {
		return err
	}
	if err := a.needTerminal(); err != nil {
		return err
	}
	return a.runConsole(ctx, &opener{app: a, file: []string{l.Schema}, link: l}, p.Name)
}
