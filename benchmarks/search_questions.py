"""Questions of the kind "how do we X with LIB", each with the names that answer it; read by the `calibrate` bench.

Half of the libraries are for development, half held out: what is decided while looking at the first half is measured on the other.
Names are as `briefkit api` takes them; a question is answered where one of them is found.
Written from the libraries' documentation; the bench checks that what is accepted exists in the installed version.
"""

from __future__ import annotations

from typing import NamedTuple


class Asked(NamedTuple):
    """One question about one library, the names that answer it, and whether it is of the half that was held out."""

    ecosystem: str
    library: str
    question: str
    accepted: tuple[str, ...]
    held_out: bool


# One line a question: what is asked, then what answers it, split by two bars; a line `ecosystem library` begins a library.
_DEVELOPMENT = """
pypi requests
post JSON || requests.post requests.Session.post
download a file as a stream || requests.get requests.Session.get requests.Response.iter_content
set a timeout and retries || requests.adapters.HTTPAdapter requests.adapters.Retry
keep cookies between requests in a session || requests.Session
raise an error when the status is bad || requests.Response.raise_for_status
pypi pandas
merge two dataframes on a column || pandas.merge pandas.DataFrame.merge
read a CSV file || pandas.read_csv
group rows by a column || pandas.DataFrame.groupby pandas.Series.groupby
drop rows with missing values || pandas.DataFrame.dropna pandas.Series.dropna
fill missing values || pandas.DataFrame.fillna pandas.Series.fillna
convert a column to datetime || pandas.to_datetime
make a pivot table || pandas.pivot_table pandas.DataFrame.pivot_table
concatenate dataframes || pandas.concat
pypi click
add an option to a command || click.option click.Option
prompt the user for a password || click.prompt click.password_option
print coloured text || click.secho click.style
make a group of commands || click.group click.Group
ask for confirmation || click.confirm click.confirmation_option
test a command || click.testing.CliRunner click.testing.CliRunner.invoke
pypi sqlalchemy
create an engine || sqlalchemy.create_engine
define a foreign key || sqlalchemy.ForeignKey sqlalchemy.ForeignKeyConstraint
select rows from a table || sqlalchemy.select sqlalchemy.Table.select
join two tables || sqlalchemy.join sqlalchemy.Select.join sqlalchemy.Table.join sqlalchemy.FromClause.join
bulk-insert rows with a session || sqlalchemy.orm.Session.bulk_insert_mappings sqlalchemy.orm.Session.bulk_save_objects sqlalchemy.orm.Session.add_all
define a relationship between models || sqlalchemy.orm.relationship
run raw SQL text || sqlalchemy.text
pypi pydantic
validate a model from JSON || pydantic.BaseModel.model_validate_json
dump a model to a dictionary || pydantic.BaseModel.model_dump
write a validator for a field || pydantic.field_validator
get the JSON schema of a model || pydantic.BaseModel.model_json_schema
forbid extra fields || pydantic.ConfigDict pydantic.Extra
define a computed field || pydantic.computed_field
pypi rich
print a table || rich.table.Table rich.console.Console.print rich.print
show a progress bar || rich.progress.Progress rich.progress.track rich.progress_bar.ProgressBar rich.progress.BarColumn
render markdown || rich.markdown.Markdown
highlight source code syntax || rich.syntax.Syntax rich.console.Console.print
print pretty tracebacks || rich.traceback.install rich.traceback.Traceback
pypi httpx
make an asynchronous request || httpx.AsyncClient httpx.AsyncClient.request httpx.AsyncClient.get
stream a response || httpx.stream httpx.Client.stream httpx.AsyncClient.stream
set a timeout || httpx.Timeout
mock the transport in tests || httpx.MockTransport
pypi flask
return a JSON response || flask.jsonify flask.json.jsonify
render a template || flask.render_template
register a blueprint || flask.Flask.register_blueprint flask.Blueprint
redirect to another page || flask.redirect
flash a message || flask.flash
handle an error || flask.Flask.errorhandler flask.Flask.register_error_handler flask.Blueprint.errorhandler
pypi numpy
create an array of zeros || numpy.zeros
concatenate arrays || numpy.concatenate
compute the dot product of two matrices || numpy.dot numpy.matmul numpy.vdot
load an array from a text file || numpy.loadtxt numpy.genfromtxt numpy.fromfile
reshape an array || numpy.reshape numpy.ndarray.reshape
pypi jinja2
render a template || jinja2.Template.render jinja2.Template
load templates from the file system || jinja2.FileSystemLoader
register a filter || jinja2.Environment
sandbox untrusted templates || jinja2.sandbox.SandboxedEnvironment
pypi attrs
define a class || attr.define attrs.define attr.s
convert an instance to a dictionary || attr.asdict attrs.asdict
validate that a value is an instance of a type || attr.validators.instance_of attrs.validators.instance_of
pypi tenacity
retry a function with exponential backoff || tenacity.wait_exponential tenacity.retry tenacity.wait_random_exponential
stop after a number of attempts || tenacity.stop_after_attempt
npm mongoose
insert many documents || Model.insertMany
define a schema || Schema
connect to the database || connect Mongoose.connect createConnection
find a document by its id || Model.findById
update one document || Model.updateOne Model.findOneAndUpdate
populate a reference || Model.populate Document.populate Query.populate
npm zod
validate an email || email string ZodString.email
define an object schema || object ZodObject
parse without throwing || safeParse ZodType.safeParse
make a field optional || optional ZodType.optional
define an enum || enum nativeEnum
infer the static type of a schema || infer
npm @aws-sdk/client-s3
upload an object to a bucket || PutObjectCommand S3.putObject
download an object || GetObjectCommand S3.getObject
list the objects in a bucket || ListObjectsV2Command ListObjectsCommand S3.listObjectsV2 S3.listObjects paginateListObjectsV2
delete an object || DeleteObjectCommand S3.deleteObject
create a bucket || CreateBucketCommand S3.createBucket
npm express
create a router || Router
serve static files || static
parse JSON bodies || json
send a JSON response || response.json Response.json json
redirect a request || response.redirect Response.redirect
npm lodash
debounce a function || debounce LoDashStatic.debounce
clone an object deeply || cloneDeep LoDashStatic.cloneDeep
group items by a key || groupBy LoDashStatic.groupBy
split an array into chunks || chunk LoDashStatic.chunk
get a nested value with a default || get LoDashStatic.get
npm dayjs
parse a date || default dayjs
format a date || Dayjs.format format
add days to a date || Dayjs.add add
compute the difference between two dates || Dayjs.diff diff
npm jsonwebtoken
sign a token || sign
verify a token || verify
decode a token without verifying || decode
npm nodemailer
send mail || Transporter.sendMail createTransport Mail.sendMail
create a transport for SMTP || createTransport
npm bcryptjs
hash a password || hash hashSync default.hash default.hashSync
compare a password with its hash || compare compareSync default.compare default.compareSync
generate a salt || genSalt genSaltSync default.genSalt default.genSaltSync
npm sequelize
bulk-insert rows || Model.bulkCreate
run a transaction || Sequelize.transaction Transaction
define a model || Sequelize.define Model.init
run a raw query || Sequelize.query
find or create a row || Model.findOrCreate
npm axios
post data || Axios.post default.post post
cancel a request || CancelToken CancelToken.source isCancel
create an instance with defaults || create AxiosStatic.create default.create
add a request interceptor || AxiosInterceptorManager.use Axios.interceptors AxiosInterceptorManager
check whether an error came from axios || isAxiosError
npm fastify
register a plugin || FastifyInstance.register
add a route || FastifyInstance.route FastifyInstance.get
start listening || FastifyInstance.listen
add a hook || FastifyInstance.addHook
"""

_HELD_OUT = """
pypi fastapi
declare a dependency || fastapi.Depends
upload a file || fastapi.UploadFile fastapi.File
run a background task || fastapi.BackgroundTasks fastapi.BackgroundTasks.add_task
raise an HTTP error || fastapi.HTTPException
declare a query parameter || fastapi.Query
include a router || fastapi.FastAPI.include_router fastapi.APIRouter.include_router fastapi.APIRouter
pypi aiohttp
open a client session || aiohttp.ClientSession
set a timeout on a request || aiohttp.ClientTimeout
start a web server || aiohttp.web.run_app aiohttp.web.AppRunner aiohttp.web.TCPSite
return a JSON response || aiohttp.web.json_response
connect to a websocket || aiohttp.ClientSession.ws_connect
pypi redis
set a key with an expiry || redis.Redis.setex redis.Redis.set redis.Redis.expire redis.Redis.psetex redis.commands.CoreCommands.setex redis.commands.CoreCommands.set redis.commands.CoreCommands.expire
subscribe to a channel || redis.client.PubSub.subscribe redis.Redis.pubsub
acquire a lock || redis.Redis.lock redis.lock.Lock redis.lock.Lock.acquire
make a pipeline of commands || redis.Redis.pipeline redis.client.Pipeline
connect from a URL || redis.from_url redis.Redis.from_url
pypi pillow
open an image || PIL.Image.open
resize an image || PIL.Image.Image.resize
rotate an image || PIL.Image.Image.rotate
save an image to a file || PIL.Image.Image.save
draw text on an image || PIL.ImageDraw.ImageDraw.text
make a thumbnail || PIL.Image.Image.thumbnail
pypi beautifulsoup4
parse an HTML page || bs4.BeautifulSoup
find all tags with a class || bs4.Tag.find_all bs4.Tag.findAll bs4.element.Tag.find_all
select elements by CSS selector || bs4.Tag.select bs4.element.Tag.select bs4.Tag.css bs4.css.CSS.select bs4.Tag.select_one
get the text of a tag || bs4.Tag.get_text bs4.PageElement.get_text bs4.element.PageElement.get_text bs4.Tag.text bs4.element.PageElement.text bs4.PageElement.text
pypi pyyaml
load a document safely || yaml.safe_load yaml.safe_load_all yaml.SafeLoader
dump an object to YAML || yaml.dump yaml.safe_dump
load several documents || yaml.load_all yaml.safe_load_all
pypi typer
add an option || typer.Option
prompt for confirmation || typer.confirm
run a function as a command line program || typer.run
exit with a code || typer.Exit
pypi django
render a template || django.shortcuts.render django.template.Template.render django.template.loader.render_to_string
get an object or raise 404 || django.shortcuts.get_object_or_404
run code in a transaction || django.db.transaction.atomic
define a URL pattern || django.urls.path django.urls.re_path
send an email || django.core.mail.send_mail django.core.mail.EmailMessage django.core.mail.EmailMessage.send
hash a password || django.contrib.auth.hashers.make_password
paginate a list || django.core.paginator.Paginator
bulk-create objects || django.db.models.QuerySet.bulk_create django.db.models.query.QuerySet.bulk_create
pypi marshmallow
load and validate data || marshmallow.Schema.load marshmallow.Schema.validate
dump an object || marshmallow.Schema.dump
define a nested field || marshmallow.fields.Nested
write a validator for a field || marshmallow.validates
pypi networkx
find the shortest path between two nodes || networkx.shortest_path networkx.algorithms.shortest_path networkx.algorithms.shortest_paths.shortest_path
add an edge to a graph || networkx.Graph.add_edge networkx.DiGraph.add_edge networkx.Graph.add_edges_from
compute the page rank of nodes || networkx.pagerank networkx.algorithms.pagerank
find connected components || networkx.connected_components
draw a graph || networkx.draw
pypi scikit-learn
split data into train and test sets || sklearn.model_selection.train_test_split
standardize features || sklearn.preprocessing.StandardScaler
fit a random forest classifier || sklearn.ensemble.RandomForestClassifier sklearn.ensemble.RandomForestClassifier.fit
compute the accuracy of a classifier || sklearn.metrics.accuracy_score
cross-validate a model || sklearn.model_selection.cross_validate sklearn.model_selection.cross_val_score
make a pipeline || sklearn.pipeline.make_pipeline sklearn.pipeline.Pipeline
cluster points with k-means || sklearn.cluster.KMeans sklearn.cluster.k_means
encode categories as one-hot || sklearn.preprocessing.OneHotEncoder
pypi structlog
get a logger || structlog.get_logger structlog.getLogger structlog.stdlib.get_logger
configure processors || structlog.configure
bind values to a logger || structlog.BoundLogger.bind structlog.stdlib.BoundLogger.bind structlog.BoundLoggerBase.bind structlog.contextvars.bind_contextvars
render logs as JSON || structlog.processors.JSONRenderer
pypi paramiko
connect to a server over SSH || paramiko.SSHClient paramiko.SSHClient.connect
run a command on the server || paramiko.SSHClient.exec_command paramiko.Channel.exec_command
upload a file by SFTP || paramiko.SFTPClient.put paramiko.SFTPClient.putfo paramiko.sftp_client.SFTPClient.put
load a private key from a file || paramiko.PKey.from_private_key_file paramiko.RSAKey.from_private_key_file paramiko.PKey.from_private_key paramiko.RSAKey paramiko.PKey.from_path
pypi pymongo
insert many documents || pymongo.collection.Collection.insert_many pymongo.synchronous.collection.Collection.insert_many
create an index || pymongo.collection.Collection.create_index pymongo.synchronous.collection.Collection.create_index pymongo.IndexModel
find one document || pymongo.collection.Collection.find_one pymongo.synchronous.collection.Collection.find_one
run an aggregation pipeline || pymongo.collection.Collection.aggregate pymongo.synchronous.collection.Collection.aggregate
npm date-fns
add days to a date || addDays
format a date || format
parse an ISO date || parseISO
compute the difference in days || differenceInDays differenceInCalendarDays
check whether a date is before another || isBefore
npm ioredis
set a key || Redis.set Commander.set default.set RedisCommander.set
subscribe to a channel || Redis.subscribe Commander.subscribe default.subscribe RedisCommander.subscribe
make a pipeline || Redis.pipeline Commander.pipeline default.pipeline Pipeline
npm rxjs
debounce values || debounceTime debounce
merge two streams || merge mergeWith
retry on error || retry retryWhen
create an observable from a promise || from Observable
share a subscription || share shareReplay
combine the latest values || combineLatest combineLatestWith combineLatestAll
npm knex
insert rows || Knex.QueryBuilder.insert Knex.QueryInterface.insert Knex.BatchInsertBuilder Knex.batchInsert Knex.ChainableInterface.insert
run a transaction || Knex.transaction Knex.Transaction Knex.TransactionProvider
create a table || Knex.SchemaBuilder.createTable Knex.TableBuilder Knex.CreateTableBuilder
join two tables || Knex.QueryInterface.join Knex.QueryBuilder.join Knex.Join Knex.QueryInterface.innerJoin
npm winston
create a logger || createLogger
log to a file || transports.File transports.FileTransportInstance
add a transport || Logger.add add
npm yargs
add an option || Argv.option Argv.options option
define a command || Argv.command command
require an argument || Argv.demandOption Argv.demandCommand Argv.demand
npm commander
add an option to a command || Command.option Command.addOption Option
parse the arguments || Command.parse Command.parseAsync
run an action handler || Command.action
npm ws
start a websocket server || WebSocketServer Server WebSocket.Server
send a message || WebSocket.send send
close the connection || WebSocket.close WebSocket.terminate close
npm pg
run a query || Client.query Pool.query ClientBase.query
create a pool of connections || Pool
connect a client || Client.connect Pool.connect ClientBase.connect Client
npm joi
validate an object against a schema || AnySchema.validate ObjectSchema.validate Root.validate validate AnySchema.validateAsync
require a string || StringSchema Root.string AnySchema.required string Root.required
check an email address || StringSchema.email
npm uuid
generate a random id || v4
validate an id || validate
parse an id into bytes || parse
npm cheerio
load HTML || load CheerioAPI.load
select elements and get their text || Cheerio.text text CheerioAPI.text
set an attribute || Cheerio.attr
npm socket.io
emit an event to all clients || Server.emit Namespace.emit BroadcastOperator.emit
join a room || Socket.join Server.socketsJoin Namespace.socketsJoin RemoteSocket.join
add a middleware || Server.use Namespace.use Socket.use
npm ajv
compile a schema || Ajv.compile default.compile compile Ajv.compileAsync default.compileAsync
add a custom keyword || Ajv.addKeyword default.addKeyword addKeyword
add a format || Ajv.addFormat default.addFormat addFormat
npm luxon
parse an ISO string || DateTime.fromISO
format a date || DateTime.toFormat DateTime.toLocaleString DateTime.toISO
compute the difference between two dates || DateTime.diff
get the current time || DateTime.now
npm pino
create a logger || pino default
create a child logger || BaseLogger.child LoggerExtras.child pino.LoggerExtras.child
redact fields || redactOptions LoggerOptions.redact pino.LoggerOptions.redact
"""


def _read(text: str, held_out: bool) -> list[Asked]:
    asked: list[Asked] = []
    ecosystem = library = ""
    for line in text.strip().splitlines():
        what, bars, accepted = line.partition(" || ")
        if not bars:
            ecosystem, library = line.split()
        else:
            question = f"How do we {what} with {library}?"
            asked.append(Asked(ecosystem, library, question, tuple(accepted.split()), held_out))
    return asked


QUESTIONS = (*_read(_DEVELOPMENT, held_out=False), *_read(_HELD_OUT, held_out=True))
