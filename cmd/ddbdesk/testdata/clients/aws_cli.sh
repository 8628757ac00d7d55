# Uses the AWS CLI against the endpoint in the first argument. Region and credentials come from the environment.
# Each call starts Python, so this script tests what only the CLI does: its rendering of numbers and errors, and
# its own paging. boto3_client.py tests the operations.
set -eu
endpoint=$1
db() { aws --endpoint-url "$endpoint" --output json dynamodb "$@"; }

# refused CODE ARGS...: the call must fail with this error.
refused() {
  code=$1
  shift
  if answer=$(db "$@" 2>&1); then
    echo "not refused: $code"
    exit 1
  fi
  case $answer in
    *"An error occurred ($code) when calling"*) ;;
    *) echo "want $code: $answer"; exit 1 ;;
  esac
}

# has TEXT ANSWER: the answer must contain the text.
has() {
  case $2 in
    *"$1"*) ;;
    *) echo "no $1 in: $2"; exit 1 ;;
  esac
}

db create-table --table-name orders --billing-mode PAY_PER_REQUEST --key-schema AttributeName=PK,KeyType=HASH AttributeName=SK,KeyType=RANGE \
  --attribute-definitions AttributeName=PK,AttributeType=S AttributeName=SK,AttributeType=N >/dev/null
puts='{"PutRequest":{"Item":{"PK":{"S":"a"},"SK":{"N":"1"},"exact":{"N":"12345678901234567890.123456789012345678"}}}}'
for n in 1 2 3 4 5 6 7; do puts="$puts,{\"PutRequest\":{\"Item\":{\"PK\":{\"S\":\"many\"},\"SK\":{\"N\":\"$n\"}}}}"; done
db batch-write-item --request-items "{\"orders\":[$puts]}" >/dev/null
has '"12345678901234567890.123456789012345678"' "$(db get-item --table-name orders --key '{"PK":{"S":"a"},"SK":{"N":"1"}}' --consistent-read)"
refused ConditionalCheckFailedException put-item --table-name orders --item '{"PK":{"S":"a"},"SK":{"N":"1"}}' \
  --condition-expression 'attribute_not_exists(PK)'
has 28 "$(db query --table-name orders --page-size 2 --key-condition-expression 'PK = :p' --expression-attribute-values '{":p":{"S":"many"}}' \
  --query 'sum(Items[].SK.N.to_number(@))')"
has NextToken "$(db query --table-name orders --max-items 3 --key-condition-expression 'PK = :p' --expression-attribute-values '{":p":{"S":"many"}}')"
refused TransactionCanceledException transact-write-items --transact-items \
  '[{"Put":{"TableName":"orders","Item":{"PK":{"S":"a"},"SK":{"N":"1"}},"ConditionExpression":"attribute_not_exists(PK)"}}]'
echo ok
