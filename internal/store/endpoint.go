package store

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// checkEndpoint refuses what is no URL of a server.
func checkEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil {
		return nil
	}
	// The text is not repeated: a URL may hold a password.
	return &Error{
		Class: Config, What: "invalid endpoint URL",
		Advice: "write it like http://127.0.0.1:8000, without a user name",
	}
}

// isLoopback reports whether the URL's host is this machine.
func isLoopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

var regionLabel = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-\d+$`)

// isAWS reports whether the URL belongs to AWS itself.
func isAWS(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	for _, domain := range []string{".amazonaws.com", ".amazonaws.com.cn", ".api.aws"} {
		if strings.HasSuffix(host, domain) {
			return true
		}
	}
	return false
}

// regionIn returns the region that the name of an AWS endpoint holds, "" without
// one. A request to it goes there whatever region it is signed for.
func regionIn(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || !isAWS(endpoint) {
		return ""
	}
	for label := range strings.SplitSeq(strings.ToLower(u.Hostname()), ".") {
		if regionLabel.MatchString(label) {
			return label
		}
	}
	return ""
}

// endpointOf returns the endpoint that flags, environment or profile set; ""
// when the region decides.
func endpointOf(cfg aws.Config, explicit string) string {
	if explicit != "" {
		return explicit
	}
	// Only the service's own client knows AWS_ENDPOINT_URL_DYNAMODB and the
	// services section of the configuration.
	return aws.ToString(dynamodb.NewFromConfig(cfg).Options().BaseEndpoint)
}

// regionEndpoint returns the endpoint that AWS gives the region.
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
