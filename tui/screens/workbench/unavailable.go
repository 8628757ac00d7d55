package workbench

import "github.com/ddbdesk/ddbdesk/accesspatterns"

// The functions of this file say why an action is unavailable, "" if it is available. The ones that the keys name
// accept a nil job, which is that of a profile without patterns.

func when(condition bool, why string) string {
	if condition {
		return why
	}
	return ""
}

func noPicture(j *job) string {
	switch {
	case j == nil || !j.gridded():
		return "the pattern returns no rows"
	case j.rows.Len() == 0:
		return "no rows to chart"
	}
	return ""
}

func noPattern(j *job) string {
	return when(j == nil, "no pattern is selected")
}

// noForm also holds for a write pattern: the dialog of its action asks for the inputs.
func noForm(j *job) string {
	return when(j == nil || j.ask.form.Len() == 0 || !j.pattern.IsRead(), "this pattern has no parameters")
}

// neverRun concerns this session: rows are not kept between runs of the program.
func neverRun(j *job) string {
	return when(j == nil || j.sent == nil, "no query run yet")
}

// noRows ignores the filter: without matching rows, sorting still makes sense.
func noRows(j *job) string {
	return when(j == nil || !j.gridded() || j.rows.Items.Len() == 0, "no rows yet")
}

func noFindings(j *job) string {
	return when(j == nil || len(j.pattern.Findings) == 0, "no known issues")
}

func noMore(j *job) string {
	switch {
	case neverRun(j) != "":
		return neverRun(j)
	case j.task.Running() && j.task.Stopped:
		return "the previous read is still stopping"
	case j.task.Running():
		return "a read is in progress"
	case j.more || j.stopped() || j.err != nil:
		return ""
	}
	return "no more pages"
}

func noAll(j *job) string {
	switch why := noMore(j); {
	case j != nil && j.all && j.task.Running():
		return "it is being read to the end; esc stops it"
	case why != "":
		return why
	case j.run == nil || j.err != nil && j.rows.Items.Len() == 0:
		return "no page was read; n tries again"
	case j.pattern.Read.Operation == accesspatterns.Count:
		return "a count always reads to the end"
	}
	return ""
}

func cannotWatch(j *job) string {
	switch {
	case neverRun(j) != "":
		return neverRun(j)
	case j.watch.of == nil && j.busy():
		return "a read is in progress"
	}
	return ""
}

func cannotBookmark(j *job) string {
	return when(j == nil || !j.pattern.IsRead(), "only read patterns can be bookmarked")
}
