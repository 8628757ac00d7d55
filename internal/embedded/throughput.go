package embedded

import (
	"math"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

// throughput is the provisioned capacity, which the store reports but does not enforce.
type throughput struct {
	ReadCapacityUnits  int64
	WriteCapacityUnits int64
}

func (t throughput) check(c *checks, at string) {
	c.number(t.ReadCapacityUnits, at+"provisionedThroughput.readCapacityUnits", 1, math.MaxInt64)
	c.number(t.WriteCapacityUnits, at+"provisionedThroughput.writeCapacityUnits", 1, math.MaxInt64)
}

func (t throughput) unchanged(what, name string) error {
	return apierror.Invalid("The provisioned throughput for the %[1]s%[2]s will not change. The requested value equals the current value. "+
		"Current ReadCapacityUnits provisioned for the %[1]s: %[3]d. Requested ReadCapacityUnits: %[3]d. "+
		"Current WriteCapacityUnits provisioned for the %[1]s: %[4]d. Requested WriteCapacityUnits: %[4]d. "+
		"Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
		what, name, t.ReadCapacityUnits, t.WriteCapacityUnits)
}

// The billing modes. An empty mode means PROVISIONED.
const (
	billProvisioned = "PROVISIONED"
	billOnDemand    = "PAY_PER_REQUEST"
)

func billing(mode string, t *throughput) (string, throughput, error) {
	if mode == billOnDemand {
		if t != nil && *t != (throughput{}) {
			return "", throughput{}, apierror.InvalidParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when " +
				"BillingMode is PAY_PER_REQUEST")
		}
		return mode, throughput{}, nil
	}
	if t == nil {
		return "", throughput{}, apierror.InvalidParameter("ReadCapacityUnits and WriteCapacityUnits must both be specified when " +
			"BillingMode is PROVISIONED")
	}
	var c checks
	t.check(&c, "")
	return billProvisioned, *t, c.err()
}
