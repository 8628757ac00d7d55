package link_test

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/link"
)

func TestConsoleLinkContainsRegion(t *testing.T) {
	for region, want := range map[string]string{
		"eu-west-1": "eu-west-1.console.aws.amazon.com", "cn-north-1": "cn-north-1.console.amazonaws.cn",
		"us-gov-west-1": "us-gov-west-1.console.amazonaws-us-gov.com",
	} {
		if got := link.ConsoleHost(region); got != want {
			t.Errorf("ConsoleHost(%s) = %s, want %s", region, got, want)
		}
	}
}
