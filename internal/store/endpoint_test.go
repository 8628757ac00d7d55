package store

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
)

func TestExplicitEndpointIsUsed(t *testing.T) {
	// An endpoint of AWS itself, inside a private network, is no custom one, but
	// requests have to go there.
	const endpoint = "https://vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com"
	c, err := Connect(t.Context(), Options{Region: "eu-west-1", EndpointURL: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	if got := aws.ToString(c.client.Options().BaseEndpoint); got != endpoint {
		t.Errorf("requests go to %q", got)
	}
}

func TestEndpointNames(t *testing.T) {
	for endpoint, want := range map[string]struct {
		loopback, aws bool
		region        string
	}{
		"http://127.0.0.1:8000":                                     {loopback: true},
		"http://127.5.5.5":                                          {loopback: true},
		"http://[::1]:8000":                                         {loopback: true},
		"http://[::ffff:127.0.0.1]:8000":                            {loopback: true},
		"http://LOCALHOST:8000":                                     {loopback: true},
		"http://db.localhost.:8000":                                 {loopback: true},
		"http://localhost.example.com":                              {},
		"http://127.0.0.1.nip.io":                                   {},
		"http://0.0.0.0:8000":                                       {},
		"http://10.0.0.1:8000":                                      {},
		"https://dynamodb.eu-west-1.amazonaws.com":                  {aws: true, region: "eu-west-1"},
		"https://dynamodb-fips.us-gov-west-1.amazonaws.com":         {aws: true, region: "us-gov-west-1"},
		"https://vpce-1-x.dynamodb.us-east-1.vpce.amazonaws.com":    {aws: true, region: "us-east-1"},
		"https://dynamodb.cn-north-1.amazonaws.com.cn":              {aws: true, region: "cn-north-1"},
		"https://123456789012.ddb.ap-southeast-2.amazonaws.com/":    {aws: true, region: "ap-southeast-2"},
		"https://dynamodb.eu-central-1.api.aws":                     {aws: true, region: "eu-central-1"},
		"https://dynamodb.eu-west-1.amazonaws.com.evil.example.com": {},
	} {
		if got := isLoopback(endpoint); got != want.loopback {
			t.Errorf("isLoopback(%s) = %v", endpoint, got)
		}
		if got := isAWS(endpoint); got != want.aws {
			t.Errorf("isAWS(%s) = %v", endpoint, got)
		}
		if got := regionIn(endpoint); got != want.region {
			t.Errorf("regionIn(%s) = %q", endpoint, got)
		}
	}
}
