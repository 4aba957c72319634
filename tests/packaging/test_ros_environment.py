# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 wheels work: two processes talk over DDS."""

import importlib.util
import itertools
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("rclpy") is None, reason="the ROS 2 wheels are not installed: `make test` installs them"
)

DOMAINS = itertools.count(os.getpid())
TALKER = """
import rclpy
from std_msgs.msg import String

rclpy.init()
node = rclpy.create_node("talker")
publisher = node.create_publisher(String, "greeting", 10)
node.create_timer(0.05, lambda: publisher.publish(String(data="hello")))
rclpy.spin(node)
"""
LISTENER = """
import rclpy
from std_msgs.msg import String

rclpy.init()
node = rclpy.create_node("listener")
heard = rclpy.task.Future()
node.create_subscription(String, "greeting", lambda message: heard.set_result(message.data), 10)
rclpy.spin_until_future_complete(node, heard, timeout_sec=30)
print(heard.result())
rclpy.shutdown()
"""


@pytest.fixture
def ros_env(tmp_path) -> dict[str, str]:
    """A DDS domain of its own on this machine, and logs that are thrown away."""
    domain = str(1 + next(DOMAINS) % 100)
    here = {"ROS_DOMAIN_ID": domain, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "ROS_LOG_DIR": str(tmp_path)}
    return os.environ | here


def test_ros_two_processes_publish_and_subscribe(ros_env):
    talker = subprocess.Popen([sys.executable, "-c", TALKER], env=ros_env)
    try:
        listener = [sys.executable, "-c", LISTENER]
        done = subprocess.run(listener, env=ros_env, capture_output=True, text=True, timeout=60)
    finally:
        talker.kill()
        talker.wait()
    assert done.stdout.split() == ["hello"], done.stderr
