package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// awsVariables are the environment variables that name an account, a region or an
// endpoint to the AWS SDK.
var awsVariables = []string{
	"AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
	"AWS_ROLE_ARN",
	"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_WEB_IDENTITY_TOKEN_FILE",
	"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
	"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
}

// vendorFile names the maker of a Linux machine, which is Amazon EC2 on instances of AWS:
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/identify_ec2_instances.html
const vendorFile = "/sys/devices/virtual/dmi/id/sys_vendor"

func isInstance(file string) bool {
	vendor, err := os.ReadFile(file)
	return err == nil && strings.TrimSpace(string(vendor)) == "Amazon EC2"
}

// Configured reports whether the environment or the user's files configure AWS. It looks at
// names and files only, so credentials that are wrong or expired count as well. If
// nothing is configured, commands use the embedded store by default.
func Configured() bool {
	home, err := os.UserHomeDir()
	return slices.ContainsFunc(awsVariables, func(name string) bool { return os.Getenv(name) != "" }) ||
		err == nil && slices.ContainsFunc([]string{"config", "credentials"}, func(name string) bool {
			_, err := os.Stat(filepath.Join(home, ".aws", name))
			return err == nil
		})
}

// EndpointVariable reports whether a variable of the environment names the endpoint of connections that set none.
func EndpointVariable() bool {
	return !strings.EqualFold(os.Getenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"), "true") &&
		(os.Getenv("AWS_ENDPOINT_URL") != "" || os.Getenv("AWS_ENDPOINT_URL_DYNAMODB") != "")
}

// OnInstance reports whether this machine is an instance of Amazon EC2, as far as its maker
// says so. It is false on other systems than Linux. Credentials of an instance need no file,
// so Configured is false there, and the user is told why the embedded store is used.
func OnInstance() bool { return isInstance(vendorFile) }
