"""Uses boto3 against the endpoint in the first argument."""
import sys
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.config import Config
from botocore.exceptions import ClientError

given = dict(
    endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="local", aws_secret_access_key="local",
    config=Config(retries={"max_attempts": 1}),
)
db = boto3.resource("dynamodb", **given)
client = boto3.client("dynamodb", **given)


def refused(code, call, **parameters):
    """Returns the response of a call that must fail with this code."""
    try:
        call(**parameters)
    except ClientError as e:
        assert e.response["Error"]["Code"] == code, e.response
        return e.response
    raise AssertionError("not refused: " + code)


table = db.create_table(
    TableName="orders", BillingMode="PAY_PER_REQUEST",
    AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in [("PK", "S"), ("SK", "N"), ("state", "S")]],
    KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    GlobalSecondaryIndexes=[{
        "IndexName": "byState", "KeySchema": [{"AttributeName": "state", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"},
    }],
)
table.wait_until_exists()
assert table.table_status == "ACTIVE" and client.list_tables()["TableNames"] == ["orders"]

# Values of every type are exact.
item = {
    "PK": "a", "SK": Decimal(1), "state": "new", "exact": Decimal("12345678901234567890.123456789012345678"), "no": None, "yes": True,
    "list": [Decimal("1.5"), "x", {"deep": b"\x00\xff"}], "names": {"p", "q"}, "figures": {Decimal(1), Decimal(2)}, "empty": "",
}
table.put_item(Item=item)
got = table.get_item(Key={"PK": "a", "SK": 1}, ConsistentRead=True)["Item"]
got["list"][2]["deep"] = bytes(got["list"][2]["deep"].value)
assert got == item, got

# Conditions.
failed = refused("ConditionalCheckFailedException", table.put_item, Item={"PK": "a", "SK": 1}, ConditionExpression=Attr("PK").not_exists(),
                 ReturnValuesOnConditionCheckFailure="ALL_OLD")
assert failed["ResponseMetadata"]["HTTPStatusCode"] == 400 and failed["Error"]["Message"] == "The conditional request failed", failed
assert failed["Item"]["state"] == {"S": "new"}, failed
changed = table.update_item(Key={"PK": "a", "SK": 1}, UpdateExpression="SET #s = :s ADD visits :one", ExpressionAttributeNames={"#s": "state"},
                            ExpressionAttributeValues={":s": "open", ":one": 1}, ReturnValues="UPDATED_NEW")
assert changed["Attributes"] == {"state": "open", "visits": Decimal(1)}, changed

# Batches and pages.
with table.batch_writer() as batch:
    for n in range(60):
        batch.put_item(Item={"PK": "many", "SK": n, "state": "even" if n % 2 == 0 else "odd"})
pages = list(client.get_paginator("query").paginate(
    TableName="orders", KeyConditionExpression="PK = :p AND SK BETWEEN :a AND :b", Limit=7,
    ExpressionAttributeValues={":p": {"S": "many"}, ":a": {"N": "10"}, ":b": {"N": "49"}}))
assert [int(i["SK"]["N"]) for p in pages for i in p["Items"]] == list(range(10, 50)) and len(pages) == 6, len(pages)
down = table.query(KeyConditionExpression=Key("PK").eq("many"), ScanIndexForward=False, Limit=2, ReturnConsumedCapacity="TOTAL")
assert [i["SK"] for i in down["Items"]] == [59, 58] and down["ConsumedCapacity"]["CapacityUnits"] == 0.5, down
assert table.query(IndexName="byState", KeyConditionExpression=Key("state").eq("odd"))["Count"] == 30
both = db.batch_get_item(RequestItems={"orders": {"Keys": [{"PK": "many", "SK": 1}, {"PK": "a", "SK": 1}, {"PK": "none", "SK": 0}]}})
assert len(both["Responses"]["orders"]) == 2 and both["UnprocessedKeys"] == {}, both
assert sum(p["Count"] for p in client.get_paginator("scan").paginate(TableName="orders", Limit=9)) == 61

# Transactions.
key = {"PK": {"S": "t"}, "SK": {"N": "1"}}
client.transact_write_items(TransactItems=[
    {"Put": {"TableName": "orders", "Item": key, "ConditionExpression": "attribute_not_exists(PK)"}},
    {"Delete": {"TableName": "orders", "Key": {"PK": {"S": "many"}, "SK": {"N": "0"}}}},
])
failed = refused("TransactionCanceledException", client.transact_write_items, TransactItems=[
    {"ConditionCheck": {"TableName": "orders", "Key": {"PK": {"S": "a"}, "SK": {"N": "1"}}, "ConditionExpression": "attribute_exists(PK)"}},
    {"Put": {"TableName": "orders", "Item": key, "ConditionExpression": "attribute_not_exists(PK)"}},
])
assert [r["Code"] for r in failed["CancellationReasons"]] == ["None", "ConditionalCheckFailed"], failed
read = client.transact_get_items(TransactItems=[{"Get": {"TableName": "orders", "Key": key}}])
assert read["Responses"] == [{"Item": key}], read

# TTL, tags and errors.
client.update_time_to_live(TableName="orders", TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
ttl = client.describe_time_to_live(TableName="orders")["TimeToLiveDescription"]
assert ttl["TimeToLiveStatus"] in ("ENABLING", "ENABLED") and ttl["AttributeName"] == "expires", ttl
client.tag_resource(ResourceArn=table.table_arn, Tags=[{"Key": "team", "Value": "x"}])
assert client.list_tags_of_resource(ResourceArn=table.table_arn)["Tags"] == [{"Key": "team", "Value": "x"}]
refused("ResourceNotFoundException", client.get_item, TableName="none", Key=key)
refused("ResourceInUseException", client.create_table, TableName="orders", BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}], KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}])
refused("ValidationException", client.get_item, TableName="orders", Key={"PK": {"S": "a"}})
refused("ValidationException", client.query, TableName="orders", KeyConditionExpression="PK = :p AND")

table.delete()
table.wait_until_not_exists()
print("ok")
