package store

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

func checkEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil {
		return nil
	}
	// The error does not repeat the URL, which may contain a password.
	return &Error{
		Class: Config, What: "invalid endpoint URL",
		Advice: "write it like http://127.0.0.1:8000, without a user name",
	}
}

func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

func isLoopback(endpoint string) bool {
	host := hostOf(endpoint)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// regionLabel matches the name of an AWS region in a host name.
var regionLabel = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-\d+$`) })

func isAWS(endpoint string) bool {
	return slices.ContainsFunc([]string{".amazonaws.com", ".amazonaws.com.cn", ".api.aws"},
		func(domain string) bool { return strings.HasSuffix(hostOf(endpoint), domain) })
}

// regionIn returns the region in the host name of an AWS endpoint. Requests to it reach that region, whatever region
// they are signed for.
func regionIn(endpoint string) string {
	if !isAWS(endpoint) {
		return ""
	}
	for label := range strings.SplitSeq(hostOf(endpoint), ".") {
		if regionLabel().MatchString(label) {
			return label
		}
	}
	return ""
}

func endpointOf(cfg aws.Config, explicit string) string {
	if explicit != "" {
		return explicit
	}
	// Only the client of the service reads AWS_ENDPOINT_URL_DYNAMODB and the services
	// section of the configuration.
	return aws.ToString(dynamodb.NewFromConfig(cfg).Options().BaseEndpoint)
}

func regionEndpoint(ctx context.Context, cfg aws.Config) (string, error) {
	options := dynamodb.NewFromConfig(cfg).Options()
	resolved, err := options.EndpointResolverV2.ResolveEndpoint(ctx, dynamodb.EndpointParameters{
		Region:       aws.String(cfg.Region),
		UseFIPS:      aws.Bool(options.EndpointOptions.UseFIPSEndpoint == aws.FIPSEndpointStateEnabled),
		UseDualStack: aws.Bool(options.EndpointOptions.UseDualStackEndpoint == aws.DualStackEndpointStateEnabled),
	})
	if err != nil {
		return "", fmt.Errorf("endpoint of region %s: %w", cfg.Region, err)
	}
	return resolved.URI.String(), nil
}
