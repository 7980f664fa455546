from .collection import Collection as Collection
from .inputs import as_qrels as as_qrels
from .inputs import as_run as as_run
from .letor import read_letor as read_letor
from .select_topics import select_topics as select_topics
